import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { beforeAll, expect, onTestFinished, test, vi } from 'vitest'
import { eventually } from './embedded-folder.ts'
import { freePort } from './free-port.ts'
import { buildProgram, EMAIL, PASSWORD, PROGRAM, startService, untilReady } from './serve-process.ts'

// Whole processes are started again and again, on machines that may do other things at the time.
vi.setConfig({ testTimeout: 180_000, hookTimeout: 120_000 })
beforeAll(buildProgram)

/** A fleet of which a day passes in about half a minute. */
function startFleet(teltonikaPort: number, truth: string): ChildProcess {
  const options = ['--vehicles', '6', '--faults', 'all', '--from', '2025-06-03T04:00:00Z', '--speedup', '3000']
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

/** How many packets were acknowledged so far. */
const packetsIn = (truth: string) => readFileSync(truth, 'utf8').split('"acknowledged"').length - 1

async function untilMorePackets(truth: string): Promise<void> {
  const before = packetsIn(truth)
  await eventually(async () => {
    if (packetsIn(truth) < before + 10) throw new Error('nothing more is acknowledged')
  }, 60_000)
}

test('what was acknowledged to simulated dongles is there once, whatever is killed: intake, database, and the fleet itself', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'tacho-fleet-'))
  await chmod(folder, 0o755)
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const teltonikaPort = await freePort()
  const service = startService(join(folder, 'data'), await freePort(), teltonikaPort)
  await untilReady(service)
  const truth = join(folder, 'truth.jsonl')
  const fleet = startFleet(teltonikaPort, truth)
  await eventually(async () => {
    if (packetsIn(truth) === 0) throw new Error('nothing is acknowledged')
  }, 60_000)
  for (const part of ['intake', 'postgres', 'intake'] as const) {
    await untilMorePackets(truth)
    process.kill(service.pidOf(part), 'SIGKILL')
  }
  await untilMorePackets(truth)
  fleet.kill('SIGKILL')
  await untilReady(service)

  // It ends with 1 when something is missing, which would reject.
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [PROGRAM, 'score', '--truth', truth, '--url', service.address, '--json'],
    { env: { ...process.env, TACHO_KEY: '', TACHO_EMAIL: EMAIL, TACHO_PASSWORD: PASSWORD } },
  )
  const { records } = JSON.parse(stdout) as { records: { dongles: Record<string, number>[] } }
  const sumOf = (what: string) => records.dongles.reduce((sum, dongle) => sum + (dongle[what] ?? 0), 0)
  expect(sumOf('acknowledged')).toBeGreaterThan(40)
  expect([sumOf('missing'), sumOf('repeated')]).toEqual([0, 0])
})
