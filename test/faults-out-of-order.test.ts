import { execFile } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { Client } from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { randomRecording } from '../lab/simulation/random-recording.ts'
import { samplesOf } from '../lab/simulation/recording.ts'
import { openDatabase } from '../src/db/database.ts'
import type { DeviceId } from '../src/model/sample.ts'
import { IS_DEEP } from './deep.ts'
import { makeTemporaryFolder } from './embedded-folder.ts'
import { eventually } from './eventually.ts'
import { freePort } from './free-port.ts'
import { send } from './order/send.ts'
import { byStart, shownTrips, tripsAtOnce } from './order/shown-trips.ts'
import { interleaved, packetsOf, shuffled } from './order/uploads.ts'
import { logIn, placeDatabase, type Service, type ServicePart, startService, untilReady } from './serve-process.ts'
import { settled } from './settled.ts'
import { DONGLES } from './simulated-drives.ts'

/** What is killed while out-of-order samples are folded, after one part of the upload each. */
const KILLS: readonly (readonly ServicePart[])[] = [
  ['intake'],
  ['postgres'],
  ['postgres', 'intake'],
  ...(IS_DEEP ? [['intake'] as const, ['intake'] as const] : []),
]
const FIRST_DEVICE = 354_000_000_000_000
const DEVICES = 6

test('whatever dies by kill -9 while out-of-order samples are folded, trips end as if all had come in order', async () => {
  const folder = placeDatabase(await makeTemporaryFolder())
  const service = startService(folder, await freePort())
  await untilReady(service)
  const token = await logIn(service)
  const drives = recordedDrives()
  const packets = shuffled(
    interleaved(
      drives.map(samples => packetsOf(samples, 25)),
      1,
    ),
    1,
  )
  const parts = packetsOf(packets, Math.ceil(packets.length / (KILLS.length + 1)))
  const to = { urls: [service.address], key: token, connections: 3 }
  for (const [index, killed] of KILLS.entries()) {
    const die = async () => {
      await untilFolding(service)
      // Not always at the same instant of a fold.
      await sleep(index * 10)
      for (const pid of killed.map(part => service.pidOf(part))) process.kill(pid, 'SIGKILL')
    }
    // Who sends with a key has its answer when all is derived: what is folded again is folded while it waits, and it sends again what was not answered.
    await Promise.all([send(parts[index] ?? [], to), die()])
  }
  await send(parts.at(-1) ?? [], to)

  const database = openDatabase({ url: service.databaseUrl })
  onTestFinished(() => database.close())
  await settled(database)
  const reply = await fetch(`${service.address}/cc/v2.0/trips?maxResults=10000`, {
    headers: { authorization: `Bearer ${token}` },
  })
  const expected = drives.flatMap(tripsAtOnce).sort(byStart)
  expect(expected.length).toBeGreaterThan(2 * DEVICES)
  expect(shownTrips(await reply.text()).sort(byStart)).toEqual(expected)
  expect(await rebuildCheck(folder)).toBe('no differences\n')
})

function recordedDrives() {
  return Array.from({ length: DEVICES }, (_, i) =>
    samplesOf(
      randomRecording({
        deviceId: (FIRST_DEVICE + i) as DeviceId,
        kind: [DONGLES.ignition, DONGLES.engine, DONGLES.motion][i % 3] ?? DONGLES.ignition,
        // So that no two trips of the fleet begin at once.
        fromMs: Date.UTC(2025, 2, 3, 5) + i * 1234,
        drivesByCar: [3, 2],
        seed: 40 + i,
        shortestM: 3000,
        longestM: 12_000,
      }),
    ),
  )
}

/** Waits until a transaction folds out-of-order samples, whose table is held until one of them wants to read it. */
async function untilFolding({ databaseUrl }: Service): Promise<void> {
  const client = new Client({ connectionString: databaseUrl })
  await client.connect()
  try {
    await client.query('begin')
    await client.query('lock table fold_checkpoints in access exclusive mode')
    await eventually(async () => {
      const { rows } = await client.query(WAITING_TO_READ)
      if (rows.length === 0) throw new Error('nothing is folded again')
    })
  } finally {
    await client.end()
  }
}

/** Nothing else reads it. */
const WAITING_TO_READ = `
  select from pg_locks where relation = 'fold_checkpoints'::regclass and mode = 'AccessShareLock' and not granted`

/** What \`tacho rebuild --check\` says. @throws when it ends with another code than 0. */
async function rebuildCheck(folder: string): Promise<string> {
  const program = fileURLToPath(new URL('../bin/tacho.mjs', import.meta.url))
  const env = { ...process.env, TACHO_DATA: folder, DATABASE_URL: '' }
  const { stdout } = await promisify(execFile)(process.execPath, [program, 'rebuild', '--check'], { env })
  return stdout
}
