import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { forgetOtherFolders, openLine } from '../src/server/backup/archiver.ts'
import { type BackupFolder, openBackupFolder } from '../src/server/backup/folder.ts'
import { readSystemId } from '../src/server/backup/keep-backups.ts'
import { listSegments, readArchived, readSegment } from '../src/server/backup/wal.ts'
import type { EmbeddedServer } from '../src/server/embedded/server.ts'
import { makeTemporaryFolder, query, startServer } from './embedded-folder.ts'
import { eventually } from './eventually.ts'
import { placeDatabase } from './serve-process.ts'

/** Archives until everything that is written now is archived. */
async function archive(server: EmbeddedServer, folder: BackupFolder): Promise<string> {
  const { line, run } = await openLine(server.adminUrl, folder, { isKept: true })
  if (!run) throw new Error('another process archives')
  const stop = new AbortController()
  const running = run(stop.signal)
  running.catch(() => undefined)
  try {
    await query(server.url, 'create table if not exists notes (note text)')
    const nowMs = Date.now()
    await query(server.url, `insert into notes values ('archived')`)
    const isThere = eventually(async () => {
      const archived = await readArchived(folder, line)
      expect(archived?.untilMs).toBeGreaterThan(nowMs)
    })
    await Promise.race([isThere, running])
    expect(await openLine(server.adminUrl, folder, { isKept: true })).toEqual({ line })
  } finally {
    stop.abort()
  }
  await running
  return line
}

const slots = async (server: EmbeddedServer) =>
  (await query(server.adminUrl, 'select slot_name as name from pg_replication_slots')).map(({ name }) => String(name))

test('an archive goes on where it ended, unless the database went another way or the slot is gone', async () => {
  const server = await startServer({ folder: placeDatabase(await makeTemporaryFolder()) })
  const folder = await openBackupFolder(
    join(await makeTemporaryFolder(), 'backups'),
    await readSystemId(server.adminUrl),
  )
  const line = await archive(server, folder)
  expect(await archive(server, folder)).toBe(line)

  // A segment that is full is compressed; the next one is named by its SHA-256, too, once it is full.
  await query(server.adminUrl, 'select pg_switch_wal()')
  expect(await archive(server, folder)).toBe(line)
  await eventually(async () => {
    const [first] = await listSegments(folder, line)
    expect(first?.sha256).toMatch(/^[0-9a-f]{64}$/)
    expect(await readSegment(first!)).toHaveLength(16 * 2 ** 20)
  })

  // Whatever was killed while it wrote: what is there is a prefix, and is compared.
  const growing = (await readdir(join(folder.wal, line))).find(name => name.endsWith('.partial'))
  const path = join(folder.wal, line, growing ?? '')
  const content = await readFile(path)
  await writeFile(path, content.subarray(0, content.length / 2))
  expect(await archive(server, folder)).toBe(line)
  const whole = await readFile(path)
  expect(whole.subarray(0, content.length).equals(content)).toBe(true)

  whole[100] = (whole[100] ?? 0) ^ 0xff
  await writeFile(path, whole)
  await expect(archive(server, folder)).rejects.toThrow('went another way')
  const next = await archive(server, folder)
  expect(next).not.toBe(line)

  // Another folder: the database keeps nothing for the former one any more.
  const [slot = ''] = await slots(server)
  expect(slot).toContain(next)
  await forgetOtherFolders(server.adminUrl, folder.id)
  expect(await slots(server)).toEqual([slot])
  await forgetOtherFolders(server.adminUrl)
  expect(await slots(server)).toEqual([])
  expect(await archive(server, folder)).not.toBe(next)
})
