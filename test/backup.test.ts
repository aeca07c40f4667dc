import { execFile } from 'node:child_process'
import { copyFile, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { listBases, readBase } from '../src/server/backup/bases.ts'
import { readBackupFolder } from '../src/server/backup/folder.ts'
import { listLines, readArchived } from '../src/server/backup/wal.ts'
import { isAlive, makeTemporaryFolder, query, startServer } from './embedded-folder.ts'
import { eventually } from './eventually.ts'
import { freePort } from './free-port.ts'
import { logIn, PROGRAM, placeDatabase, type Service, startService, untilReady } from './serve-process.ts'

const DEVICE = 356_938_035_643_809
const PAUSE_MS = 100
const FIRST_MS = Date.UTC(2025, 0, 1)

interface Sent {
  readonly number: number
  readonly sentMs: number
  readonly acknowledgedMs: number
}

/** Sends one measurement after the other until it is stopped. @param from the number of the first one */
function keepSending(service: Service, token: string, from = 0) {
  const sent: Sent[] = []
  const stopping = new AbortController()
  const done = (async () => {
    for (let number = from; !stopping.signal.aborted; number++) {
      const recordedTimestamp = new Date(FIRST_MS + number * 1000).toISOString()
      const sentMs = Date.now()
      const reply = await fetch(`${service.address}/ingest/events`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: JSON.stringify([{ deviceId: DEVICE, recordedTimestamp, eventType: 'MILEAGE', value: 1000 + number }]),
      }).catch(() => undefined)
      if (reply?.status === 200) sent.push({ number, sentMs, acknowledgedMs: Date.now() })
      await sleep(PAUSE_MS)
    }
  })()
  return {
    sent,
    stop() {
      stopping.abort()
      return done
    },
  }
}

/** Runs a command as an operator types it. @returns its exit code and what it printed */
async function tacho(dataFolder: string, ...words: string[]): Promise<{ code: number; printed: string }> {
  const env = { ...process.env, TACHO_DATA: dataFolder, DATABASE_URL: '', BACKUP_DIR: '' }
  try {
    const { stdout, stderr } = await promisify(execFile)(process.execPath, [PROGRAM, ...words], { env })
    return { code: 0, printed: stdout + stderr }
  } catch (error) {
    const { code, stdout, stderr } = error as { code: number; stdout: string; stderr: string }
    return { code, printed: stdout + stderr }
  }
}

async function start(dataFolder: string, backups: string): Promise<Service> {
  const service = startService(dataFolder, await freePort(), 0, { BACKUP_DIR: backups })
  await untilReady(service)
  return service
}

/** The instant up to which everything is in the archive. */
async function archivedUntil(backups: string): Promise<number> {
  const folder = await readBackupFolder(backups)
  const all = await Promise.all((await listLines(folder)).map(line => readArchived(folder, line)))
  return Math.max(...all.map(item => item?.untilMs ?? 0))
}

const basesIn = async (backups: string) => {
  const folder = await readBackupFolder(backups)
  return Promise.all((await listBases(folder)).map(time => readBase(folder, time)))
}

async function kill(service: Service): Promise<void> {
  const pids = (['supervisor', 'backup', 'api', 'intake', 'postgres'] as const).map(part => service.pidOf(part))
  for (const pid of pids) process.kill(pid, 'SIGKILL')
  await eventually(async () => expect(pids.filter(isAlive)).toEqual([]))
}

interface Listed {
  readonly ids: readonly unknown[]
  readonly modified: string
  readonly oldest: string
  readonly restored: string | null
}

async function vehiclesOf(service: Service, token: string, filter?: string): Promise<Listed> {
  const path = `/cc/v2.0/vehicles${filter === undefined ? '' : `?filterTimestamp=${filter}`}`
  const reply = await fetch(service.address + path, { headers: { authorization: `Bearer ${token}` } })
  const body = (await reply.json()) as { vehicles: { id: string; modifyTimestamp: string }[]; modifyTimestamp: string }
  return {
    ids: body.vehicles.map(({ id }) => id),
    modified: body.modifyTimestamp,
    oldest: body.vehicles.map(({ modifyTimestamp }) => modifyTimestamp).sort()[0] ?? '',
    restored: reply.headers.get('tacho-restored'),
  }
}

const NUMBERS = `select (extract(epoch from time) * 1000)::bigint::text as ms from samples order by time`

async function storedNumbers(url: string): Promise<Set<number>> {
  return new Set((await query(url, NUMBERS)).map(({ ms }) => (Number(ms) - FIRST_MS) / 1000))
}

test('what was acknowledged before the last archived second is there after the data folder was lost', async () => {
  const folder = await makeTemporaryFolder()
  const [data, backups] = [join(folder, 'data'), join(folder, 'backups')]
  placeDatabase(data)

  // A folder that cannot be used is told, and does not disturb the service.
  await writeFile(backups, 'a file')
  const service = await start(data, backups)
  const said = `The write-ahead log is not archived to ${backups}: ${backups} is not a folder.`
  await eventually(async () => expect(service.output()).toContain(said))
  const token = await logIn(service)
  const sender = keepSending(service, token)
  await eventually(async () => expect(sender.sent.length).toBeGreaterThan(3))
  await rm(backups)

  await eventually(async () => expect(await basesIn(backups)).toHaveLength(1))
  const byHand = await tacho(data, 'backup', backups)
  expect(byHand.printed).toMatch(/backed up to .* and checked/)
  const [first, second] = await basesIn(backups)
  expect(second?.line).toBe(first?.line)
  expect(second?.bytes).toBeGreaterThan(20e6)
  expect(second?.writtenBytes).toBeLessThan((first?.writtenBytes ?? 0) / 2)

  await sleep(500)
  const middleMs = Date.now()
  const before = await vehiclesOf(service, token)
  await eventually(async () => expect(await archivedUntil(backups)).toBeGreaterThan(middleMs + 1000))
  const seen = await vehiclesOf(service, token)
  // As it was in the middle, in another folder, while the service runs.
  const other = join(folder, 'other')
  const early = await tacho(other, 'restore', backups, '--to', new Date(middleMs).toISOString())
  expect(early).toMatchObject({ code: 0, printed: expect.stringContaining(new Date(middleMs).toISOString()) })
  const server = await startServer({ folder: other })
  const then = await storedNumbers(server.url)
  await server.stop()
  const acknowledged = sender.sent.filter(({ acknowledgedMs }) => acknowledgedMs < middleMs)
  expect(acknowledged.filter(({ number }) => !then.has(number))).toEqual([])
  expect(sender.sent.filter(({ number, sentMs }) => sentMs > middleMs && then.has(number))).toEqual([])

  await kill(service)
  await sender.stop()
  const untilMs = await archivedUntil(backups)
  await rm(data, { recursive: true })

  // A file that is damaged is named, and nothing is left of the attempt.
  // It is one of the backup that is restored: of an earlier one, nobody reads it.
  const piece = (await basesIn(backups)).at(-1)?.files.find(({ pieces }) => pieces.length > 0)?.pieces[0] ?? ''
  const damaged = join(backups, 'pieces', piece.slice(0, 2), `${piece}.gz`)
  await copyFile(damaged, join(folder, 'kept'))
  const content = await readFile(damaged)
  content[content.length >> 1] = (content[content.length >> 1] ?? 0) ^ 0xff
  await writeFile(damaged, content)
  const refused = await tacho(data, 'restore', backups)
  expect(refused).toMatchObject({ code: 1, printed: expect.stringContaining(`${damaged} is not what was written`) })
  expect(await readdir(data)).toEqual([])
  await copyFile(join(folder, 'kept'), damaged)

  // The newest state there is; who logged in stays logged in.
  expect(await tacho(data, 'restore', backups)).toMatchObject({ code: 0 })
  expect((await tacho(data, 'restore', backups)).printed).toContain('which a restore does not overwrite')
  const restored = await start(data, backups)
  const now = await storedNumbers(restored.databaseUrl)
  const archived = sender.sent.filter(({ acknowledgedMs }) => acknowledgedMs < untilMs)
  expect(archived.length).toBeGreaterThan(acknowledged.length)
  expect(archived.filter(({ number }) => !now.has(number))).toEqual([])

  // A client that syncs is sent everything again, and told that it may hold what is gone.
  const after = await vehiclesOf(restored, token, seen.modified)
  expect(after.ids).toEqual(before.ids)
  expect(after.restored).not.toBeNull()
  expect(after.oldest >= (after.restored ?? '')).toBe(true)
  expect((await vehiclesOf(restored, token, after.modified)).restored).toBeNull()

  for (const name of ['tacho_backup_age_seconds', 'tacho_backup_wal_lag_seconds'])
    expect(await (await fetch(`${restored.address}/metrics`)).text()).toMatch(
      new RegExp(`^${name}\\{role="intake"\\} [\\d.]+$`, 'm'),
    )

  // The archive goes on in a line of its own, with a backup to begin with.
  await eventually(async () => {
    const lines = new Set((await basesIn(backups)).map(({ line }) => line))
    expect(lines.size).toBe(2)
  })

  // What is stored last is archived before the database stops.
  const last = keepSending(restored, token, 10_000)
  await eventually(async () => expect(last.sent.length).toBeGreaterThan(3))
  await last.stop()
  restored.supervisor.kill('SIGTERM')
  expect(await restored.exited).toBe(0)
  expect(await archivedUntil(backups)).toBeGreaterThan(last.sent.at(-1)!.acknowledgedMs)

  // By hand, with the service stopped: the line goes on. A damaged piece is named, and stored again the next time.
  const newest = (await basesIn(backups)).at(-1)
  const [versionPiece = ''] = newest?.files.find(({ path }) => path === 'PG_VERSION')?.pieces ?? []
  await writeFile(join(backups, 'pieces', versionPiece.slice(0, 2), `${versionPiece}.gz`), 'damaged')
  expect((await tacho(data, 'backup', backups)).printed).toContain(`${versionPiece}.gz is not what was written`)
  expect((await tacho(data, 'backup', backups)).printed).toContain('and checked')
  const bases = await basesIn(backups)
  expect(bases.at(-1)?.line).toBe(newest?.line)
  expect(bases.at(-1)?.finishedMs).toBeGreaterThan(newest?.finishedMs ?? 0)
  expect(new Set(bases.map(({ line }) => line)).size).toBe(2)
  const listed = await tacho(data, 'backup', backups, '--list')
  expect(listed.printed.match(/^\d{4}-\S+Z {2}/gm)?.length).toBeGreaterThan(1)
})
