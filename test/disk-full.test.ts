import { execFileSync } from 'node:child_process'
import { closeSync, existsSync, mkdirSync, openSync, rmSync, writeSync } from 'node:fs'
import { statfs } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { makeTemporaryFolder } from './embedded-folder.ts'
import { eventually } from './eventually.ts'
import { freePort } from './free-port.ts'
import { startSenders, untilMoreIsAcknowledged } from './remembering-senders.ts'
import { logIn, type Service, startService, untilReady } from './serve-process.ts'
import { expectOnlyWhatWasSent, storedNumbers } from './stored-numbers.ts'

/** Room for an empty database and little more. */
const DISK_MB = 128

test('on a full disk nothing is acknowledged and senders are told why; with room again it goes on by itself', async context => {
  const folder = await makeTemporaryFolder()
  if (!isMounted(folder)) return context.skip('only root can mount a small disk')
  const data = join(folder, 'data')
  mkdirSync(data, { mode: 0o755 })
  const service = startService(data, await freePort())
  await untilReady(service)
  const token = await logIn(service)
  const senders = startSenders(service.address, token, 2)
  await untilMoreIsAcknowledged(senders)
  const postgres = service.pidOf('postgres')

  const ballast = join(folder, 'ballast')
  fill(ballast)
  await eventually(async () => {
    if (!senders.reasons.has('The disk of the database is full: nothing was stored.')) throw new Error('not full yet')
  })
  const reason = 'The disk of the database is full: nothing was stored.'
  await eventually(async () => expect((await readiness(service.address)).storing).toMatchObject({ reason }))
  expect(await readiness(service.address)).toEqual({
    database: { status: 'ready' },
    intake: { status: 'ready' },
    storing: { status: 'failing', reason, since: expect.any(String) },
  })
  expect(await partsFor(service.address, token)).toContainEqual(
    expect.objectContaining({ name: 'storing', status: 'failing', reason, sinceTimestamp: expect.any(String) }),
  )
  // Given up, so that PostgreSQL goes on, and nothing is stored that would use it up.
  await eventually(async () => expect(existsSync(join(data, 'reserve'))).toBe(false))
  const before = await freeMb(folder)
  expect(before).toBeGreaterThan(8)
  for (let round = 0; round < 30; round++) {
    await partsFor(service.address, token)
    await sleep(100)
  }
  expect(await freeMb(folder)).toBeGreaterThan(before / 2)
  expect(service.pidOf('postgres')).toBe(postgres)
  // One line a second says it, however many are refused.
  const refused = senders.refused
  const lines = linesOf(service, reason).length
  await sleep(3000)
  expect(senders.refused - refused).toBeGreaterThan(15)
  expect(linesOf(service, reason).length - lines).toBeLessThanOrEqual(8)
  rmSync(ballast)
  await untilMoreIsAcknowledged(senders)
  await eventually(async () => expect(existsSync(join(data, 'reserve'))).toBe(true))
  await eventually(async () => expect((await readiness(service.address)).storing).toEqual({ status: 'ready' }))
  await senders.stop()

  expect(senders.violations).toEqual([])
  expectOnlyWhatWasSent(await storedNumbers(service.address, token), senders)
  service.supervisor.kill('SIGTERM')
  expect(await service.exited).toBe(0)
})

const linesOf = (service: Service, text: string) =>
  service
    .output()
    .split('\n')
    .filter(line => line.includes(text))

async function freeMb(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder)
  return (bavail * bsize) / 2 ** 20
}

/** What everybody is told; it is answered 200, as reading goes on. */
async function readiness(address: string): Promise<Readonly<Record<string, unknown>>> {
  const reply = await fetch(`${address}/readyz`)
  expect(reply.status).toBe(200)
  return ((await reply.json()) as { parts: Record<string, unknown> }).parts
}

/** What the page for administrators shows. */
async function partsFor(address: string, token: string): Promise<readonly unknown[]> {
  const reply = await fetch(`${address}/admin/operation`, { headers: { authorization: `Bearer ${token}` } })
  expect(reply.status).toBe(200)
  return ((await reply.json()) as { parts: unknown[] }).parts
}

function isMounted(folder: string): boolean {
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${DISK_MB}m,mode=755`, 'tmpfs', folder], { stdio: 'ignore' })
  } catch {
    return false
  }
  onTestFinished(() => void execFileSync('umount', [folder]))
  return true
}

/** Writes until nothing more fits. */
function fill(path: string): void {
  const file = openSync(path, 'w')
  const block = Buffer.alloc(65_536)
  try {
    for (;;) writeSync(file, block)
  } catch {
    // Full.
  }
  closeSync(file)
}
