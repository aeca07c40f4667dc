import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { statSync } from 'node:fs'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { expect, onTestFinished, test, vi } from 'vitest'
import { withDatabase } from '../src/server/database.ts'
import { deep } from './deep.ts'
import { query } from './embedded-folder.ts'
import { eventually } from './eventually.ts'
import { freePort } from './free-port.ts'
import {
  EMAIL,
  PASSWORD,
  PROGRAM,
  placeDatabase,
  type Service,
  type ServicePart,
  startService,
  untilReady,
} from './serve-process.ts'
import { settled } from './settled.ts'

/** `TACHO_DEEP=10 npx vitest run test/simulated-fleet.test.ts` is the same at length, with bursts. */
const DONGLES = deep(12)
const KILL_COUNT = deep(2)
/** So many dongles make bursts (docs/adr/0012): then each kill hits one, at any moment of it. */
const MAKES_BURSTS = DONGLES >= 100
const BURST_LASTS_MS = 5000

/** What is killed, over and over. */
const KILLS: readonly (readonly ServicePart[])[] = [
  ['intake'],
  ['postgres'],
  ['supervisor', 'api', 'intake'],
  ['intake', 'postgres'],
]

// Whole processes are started again and again, on machines that may do other things at the time.
vi.setConfig({ testTimeout: 300_000 + KILL_COUNT * 30_000 + DONGLES * 5000 })
/** A fleet of which a day passes in about half a minute, if the service keeps up. */
function startFleet(teltonikaPort: number, truth: string): ChildProcess {
  const options = ['--vehicles', `${DONGLES}`, '--faults', 'all', '--from', '2025-06-03T04:00:00Z', '--speedup', '3000']
  const fleet = spawn(
    process.execPath,
    [PROGRAM, 'simulate', ...options, '--teltonika', `127.0.0.1:${teltonikaPort}`, '--truth', truth],
    { stdio: 'ignore' },
  )
  onTestFinished(() => {
    fleet.kill('SIGKILL')
  })
  return fleet
}

/** What some acknowledged packets take in the truth. */
const SOME_PACKETS_BYTES = 300

async function untilMoreIsAcknowledged(truth: string): Promise<void> {
  const sizeOf = () => statSync(truth, { throwIfNoEntry: false })?.size ?? 0
  const before = sizeOf()
  await eventually(async () => {
    if (sizeOf() < before + SOME_PACKETS_BYTES) throw new Error('nothing more is acknowledged')
  })
}

/** Waits until there are acknowledged samples from which nothing is derived yet. @returns false when that takes long. */
async function untilBurst({ databaseUrl }: Service): Promise<boolean> {
  for (const deadlineMs = Date.now() + 10_000; Date.now() < deadlineMs; await sleep(30)) {
    const waiting = await eventually(() =>
      query(databaseUrl, "select device_id from due where kind <> 'history' limit 1"),
    )
    if (waiting.length > 0) return true
  }
  return false
}

/** Runs a command against the service and returns what it prints. @throws when it does not end with 0. */
async function printedBy(service: Service, ...command: string[]): Promise<string> {
  const env = { ...process.env, TACHO_KEY: '', TACHO_EMAIL: EMAIL, TACHO_PASSWORD: PASSWORD }
  const { stdout } = await promisify(execFile)(process.execPath, [PROGRAM, ...command], {
    env: { ...env, DATABASE_URL: service.databaseUrl },
  })
  return stdout
}

interface Score {
  readonly trips: { readonly f1: number; readonly distanceError: number; readonly expected: number }
  readonly records: { readonly dongles: Readonly<Record<'acknowledged' | 'missing' | 'repeated', number>>[] }
}

test('what was acknowledged to simulated dongles is there once, whatever is killed: intake, database, all of Tacho, and the fleet itself', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'tacho-fleet-'))
  await chmod(folder, 0o755)
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const [port, teltonikaPort] = [await freePort(), await freePort()]
  // Everything is read once.
  const data = placeDatabase(join(folder, 'data'))
  const start = () => startService(data, port, teltonikaPort, { RATE_LIMIT: '1000000' })
  let service = start()
  await untilReady(service)
  const truth = join(folder, 'truth.jsonl')
  const fleet = startFleet(teltonikaPort, truth)
  const fleetEnded = once(fleet, 'exit')
  await untilMoreIsAcknowledged(truth)
  let bursts = 0
  for (let kill = 0; kill < KILL_COUNT; kill++) {
    // What was acknowledged before the last kill may be written after it.
    await untilReady(service)
    await untilMoreIsAcknowledged(truth)
    if (MAKES_BURSTS) {
      if (await untilBurst(service)) bursts++
      await sleep((kill * 0.382 * BURST_LASTS_MS) % BURST_LASTS_MS)
    }
    const parts = KILLS[kill % KILLS.length] ?? []
    // It may be about to start again.
    for (const part of parts) await eventually(async () => process.kill(service.pidOf(part), 'SIGKILL'))
    if (!parts.includes('supervisor')) continue
    await service.exited
    service = start()
  }
  await untilMoreIsAcknowledged(truth)
  // Only a fleet that is not killed tells all of its trips.
  fleet.kill(MAKES_BURSTS ? 'SIGINT' : 'SIGKILL')
  await fleetEnded
  await untilReady(service)

  // The database may have been killed a moment ago.
  await withDatabase(service.databaseUrl, database =>
    eventually(() => settled(database, { patienceMs: 100_000 + DONGLES * 1000 })),
  )
  // It ends with 1 when something is missing, which would reject.
  const { trips, records } = JSON.parse(
    await printedBy(service, 'score', '--truth', truth, '--url', service.address, '--json'),
  ) as Score
  const sumOf = (what: 'acknowledged' | 'missing' | 'repeated') =>
    records.dongles.reduce((sum, dongle) => sum + dongle[what], 0)
  const acknowledged = sumOf('acknowledged')
  expect(acknowledged).toBeGreaterThan(40)
  expect([sumOf('missing'), sumOf('repeated')]).toEqual([0, 0])
  expect(await printedBy(service, 'rebuild', '--check')).toContain('no differences')
  if (!MAKES_BURSTS) return
  const { expected, f1, distanceError } = trips
  console.info(
    `${KILL_COUNT} kills, ${bursts} in bursts; ${JSON.stringify({ acknowledged, expected, f1, distanceError })}`,
  )
  expect(bursts).toBeGreaterThan(KILL_COUNT / 2)
  expect(expected).toBeGreaterThan(DONGLES / 4)
  expect(f1).toBeGreaterThan(0.97)
  expect(distanceError).toBeLessThan(0.02)
})
