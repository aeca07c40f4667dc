import { chmod, mkdir, utimes, writeFile } from 'node:fs/promises'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { makeTemporaryFolder } from '../../../test/embedded-folder.ts'
import { openBackupFolder, readBackupFolder, withLock } from './folder.ts'
import { Pieces, readPiece } from './pieces.ts'

test('an empty or missing folder becomes one of backups, and is found again', async () => {
  const path = join(await makeTemporaryFolder(), 'new', 'backups')
  await expect(readBackupFolder(path)).rejects.toThrow(`There are no backups of Tacho in ${path}.`)
  const made = await openBackupFolder(path, '7')
  expect(await openBackupFolder(path, '7')).toEqual(made)
  expect(await readBackupFolder(path)).toEqual(made)
})

test('a folder of other files, of another database, or of a newer Tacho is refused', async () => {
  const path = await makeTemporaryFolder()
  await writeFile(join(path, 'holiday.jpg'), '')
  await expect(openBackupFolder(path, '7')).rejects.toThrow('holds other files than backups of Tacho')
  const other = await makeTemporaryFolder()
  await openBackupFolder(other, '7')
  await expect(openBackupFolder(other, '8')).rejects.toThrow('holds the backups of another database')
  const mark = join(other, 'tacho-backup.json')
  await writeFile(mark, JSON.stringify({ format: 2, id: 'x', systemId: '7' }))
  await expect(openBackupFolder(other, '7')).rejects.toThrow('were made by a newer Tacho (format 2)')
  await writeFile(mark, 'x')
  await expect(readBackupFolder(other)).rejects.toThrow(`${mark} is damaged.`)
})

test('two at once are refused, and what a dead one left behind is taken over', async () => {
  const folder = await openBackupFolder(await makeTemporaryFolder(), '7')
  await withLock(folder, () => expect(withLock(folder, async () => 1)).rejects.toThrow('wait until it has ended'))
  const lock = join(folder.path, 'lock')
  await writeFile(lock, `1 ${hostname()}\n`)
  await expect(withLock(folder, async () => 1)).rejects.toThrow('process 1: wait until it has ended')
  await writeFile(lock, '7 another-machine\n')
  await expect(withLock(folder, async () => 1)).rejects.toThrow('process 7 of another-machine: wait')
  await utimes(lock, Date.now() / 1000 - 600, Date.now() / 1000 - 600)
  await writeFile(join(folder.temporary, 'half'), '')
  expect(await withLock(folder, async () => 1)).toBe(1)
  expect(await withLock(folder, async () => 2)).toBe(2)
})

test('the same content is stored once, and what is not what was written is named', async () => {
  const folder = await openBackupFolder(await makeTemporaryFolder(), '7')
  const pieces = await Pieces.open(folder)
  const content = Buffer.alloc(10_000, 'tacho')
  const hash = await pieces.store(content)
  const once = pieces.writtenBytes
  expect(await pieces.store(content)).toBe(hash)
  const again = await Pieces.open(folder)
  expect(await again.store(content)).toBe(hash)
  expect([pieces.writtenBytes, again.writtenBytes]).toEqual([once, 0])
  expect(await readPiece(folder, hash)).toEqual(content)
  const path = join(folder.pieces, hash.slice(0, 2), `${hash}.gz`)
  await writeFile(path, 'something else')
  await expect(readPiece(folder, hash)).rejects.toThrow(`The backup is damaged: ${path} is not what was written.`)
  await expect(readPiece(folder, 'f'.repeat(64))).rejects.toThrow('is missing')
})

test('a folder that cannot be written is told', async () => {
  await expect(openBackupFolder(await pathNobodyCanWrite(), '7')).rejects.toThrow('make it readable and writable')
})

/** Root may write in every folder of a disk, but Linux lets nobody make one in /sys. */
async function pathNobodyCanWrite(): Promise<string> {
  if (process.getuid?.() === 0) return '/sys/tacho-backup'
  const path = join(await makeTemporaryFolder(), 'closed')
  await mkdir(path)
  await chmod(path, 0o500)
  return path
}
