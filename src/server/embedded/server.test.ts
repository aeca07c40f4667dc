import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdir, mkdtemp, readdir, rename, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from 'pg'
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { deep } from '../../../test/deep.ts'
import {
  isAlive,
  makeTemporaryFolder,
  type OtherProcess,
  query,
  silent,
  startOther,
  startServer,
} from '../../../test/embedded-folder.ts'
import { eventually } from '../../../test/eventually.ts'
import { placeDatabase } from '../../../test/serve-process.ts'
import { databaseUrl } from './claim.ts'
import { findRunningServer, startEmbeddedServer } from './server.ts'
import { ADMIN_ROLE } from './settings.ts'

/** Of starts at the same instant: the first makes the database. */
const ROUNDS = Array.from({ length: deep(2) }, (_, index) => index + 1)

const asRoot = process.getuid?.() === 0

/** One database goes from test to test: copying it takes a tenth of a second. */
let made = ''
beforeAll(async () => {
  made = await mkdtemp(join(tmpdir(), 'tacho-made-'))
  await chmod(made, 0o755)
  const server = await startEmbeddedServer({ folder: placeDatabase(made), log: silent, settings: { fsync: 'off' } })
  await query(server.url, 'create table marks (mark integer)')
  await server.stop()
})
afterAll(() => rm(made, { recursive: true, force: true }))

async function makeData(name?: string): Promise<string> {
  const folder = join(await makeTemporaryFolder(name), 'data')
  await mkdir(folder, { mode: 0o755 })
  await rename(join(made, 'postgres'), join(folder, 'postgres'))
  // Hooks run in reverse order: by then the servers of the test are stopped.
  onTestFinished(() => rename(join(folder, 'postgres'), join(made, 'postgres')))
  return folder
}

/** It holds its database until it is gone, which a busy machine takes its time for. */
async function kill({ child }: OtherProcess): Promise<void> {
  child.kill('SIGKILL')
  await once(child, 'exit')
}

test('the first start makes the database, a later one finds what was stored', async () => {
  const folder = join(await makeTemporaryFolder(), 'not', 'there')
  const first = await startServer({ folder, settings: {} })
  await query(first.url, 'create table marks as select 1 as mark')
  await first.stop()
  expect(isAlive(first.pid)).toBe(false)
  const second = await startServer({ folder, settings: {} })
  expect(await query(second.url, 'select mark from marks')).toEqual([{ mark: 1 }])
  const names = [
    'fsync',
    'synchronous_commit',
    'data_checksums',
    'server_encoding',
    'listen_addresses',
    'TimeZone',
    'jit',
  ]
  const settings = await query(
    second.adminUrl,
    `select name, setting from pg_settings where name = any('{${names.join()}}')`,
  )
  expect(Object.fromEntries(settings.map(({ name, setting }) => [name, setting]))).toEqual({
    fsync: 'on',
    synchronous_commit: 'on',
    data_checksums: 'on',
    server_encoding: 'UTF8',
    listen_addresses: '',
    TimeZone: 'UTC',
    jit: 'off',
  })
  expect(await readdir(folder)).toEqual(['postgres'])
})

test('what an unfinished creation left behind is removed', async () => {
  const folder = await makeData()
  await mkdir(join(folder, 'postgres.new-cutoff', 'base'), { recursive: true })
  await startServer({ folder })
  expect(await readdir(folder)).toEqual(['postgres'])
})

describe('no door is open to other users of the machine', () => {
  test('the folder of the socket is closed', async () => {
    const folder = await makeData()
    await startServer({ folder })
    expect((await stat(join(folder, 'postgres'))).mode & 0o777).toBe(0o700)
  })

  test.skipIf(!asRoot)('even one who reaches the socket is turned away', async () => {
    const folder = await makeData()
    await startServer({ folder })
    const owner = await stat(join(folder, 'postgres'))
    const script = `const { Client } = require('pg')
      new Client({ host: process.argv[1], port: 5432, user: 'tacho', database: 'tacho' }).connect()
        .then(() => console.log('connected'), error => console.log(error.code)).finally(() => process.exit())`
    const tryAs = async (uid: number) => {
      const child = spawn(process.execPath, ['-e', script, join(folder, 'postgres')], { uid, gid: uid, stdio: 'pipe' })
      const [[text]] = await Promise.all([once(child.stdout, 'data'), once(child, 'exit')])
      return String(text).trim()
    }
    expect(await tryAs(owner.uid)).toBe('28000')
    expect(await tryAs(12_345)).toBe('EACCES')
  })
})

describe('killed without warning', () => {
  test('of Node: the next start stops the server left behind and starts its own', async () => {
    const folder = await makeData()
    const other = await startOther(folder)
    await kill(other)
    expect(isAlive(other.pid!)).toBe(true)
    const server = await startServer({ folder })
    expect(isAlive(other.pid!)).toBe(false)
    expect(await query(server.url, 'select count(*) >= 0 as readable from marks')).toEqual([{ readable: true }])
  })

  test('of Node, and PostgreSQL has yet to notice: the next start waits for the folder', async () => {
    const folder = await makeData()
    const other = await startOther(folder)
    await kill(other)
    const url = databaseUrl(join(folder, 'postgres'), 'postgres', ADMIN_ROLE)
    const held = new Client({ connectionString: url, application_name: `tacho supervisor ${other.child.pid}` })
    await held.connect()
    await held.query('select pg_advisory_lock(7411, 100)')
    const starting = startServer({ folder })
    const asking = `select from pg_stat_activity where application_name = 'tacho supervisor ${process.pid}'`
    await eventually(async () => expect((await held.query(asking)).rows).toHaveLength(1))
    await held.end()
    const server = await starting
    expect(isAlive(other.pid!)).toBe(false)
    expect(await query(server.url, 'select count(*) >= 0 as readable from marks')).toEqual([{ readable: true }])
  })

  test('of the database: it is started again at the same address', async () => {
    const server = await startServer({ folder: await makeData() })
    await query(server.url, 'delete from marks')
    for (let round = 1; round <= 3; round++) {
      await query(server.url, `insert into marks values (${round})`)
      const killed = server.pid
      process.kill(killed, 'SIGKILL')
      await eventually(async () => expect(server.pid).not.toBe(killed))
      expect(await query(server.url, 'select from marks')).toHaveLength(round)
    }
  })

  test('of one process of the database: it recovers by itself, and the folder stays ours', async () => {
    const folder = await makeData()
    const server = await startServer({ folder })
    const { pid } = server
    // It may not have begun when the first connections are taken.
    const checkpointer = await eventually(async () => {
      const [row] = await query(server.adminUrl, `select pid from pg_stat_activity where backend_type = 'checkpointer'`)
      if (!row) throw new Error('the checkpointer has not begun')
      return Number(row.pid)
    })
    process.kill(checkpointer, 'SIGKILL')
    await eventually(() => query(server.url, 'select'))
    expect(server.pid).toBe(pid)
    await eventually(() => expect(startServer({ folder })).rejects.toThrow('is in use by another Tacho'))
  })

  test('of the connection that holds the lock: it is taken again', async () => {
    const folder = await makeData()
    const server = await startServer({ folder })
    const held = `select pid from pg_locks where locktype = 'advisory' and granted`
    await query(server.adminUrl, `select pg_terminate_backend(pid) from (${held}) as holder`)
    await eventually(async () => expect(await query(server.adminUrl, held)).toHaveLength(1))
  })

  test('of both: the next start just works', async () => {
    const folder = await makeData()
    const other = await startOther(folder)
    process.kill(other.pid!, 'SIGKILL')
    await kill(other)
    const server = await startServer({ folder })
    expect(await query(server.url, 'select count(*) >= 0 as readable from marks')).toEqual([{ readable: true }])
  })

  test('of a machine: a process that got the number of the server since does not matter', async () => {
    const folder = await makeData()
    const { uid } = await stat(join(folder, 'postgres'))
    const stranger = spawn('sleep', ['3600'], asRoot ? { uid, gid: uid } : {})
    try {
      for (const lock of ['postmaster.pid', '.s.PGSQL.5432.lock'])
        await writeFile(join(folder, 'postgres', lock), `${stranger.pid}\n${folder}/postgres\n1\n5432\n.\n`)
      await startServer({ folder })
      expect(stranger.exitCode).toBe(null)
    } finally {
      stranger.kill()
    }
  })
})

test.each([
  ['a moment ago, it waits until it is old', 3.5],
  ['long ago', 3_600],
])('a crash of the machine left the lock file empty: %s', async (_, ageS) => {
  const folder = await makeData()
  const lock = join(folder, 'postgres', 'postmaster.pid')
  await writeFile(lock, '')
  await utimes(lock, Date.now() / 1000 - ageS, Date.now() / 1000 - ageS)
  const server = await startServer({ folder })
  expect(await query(server.url, 'select count(*) >= 0 as readable from marks')).toEqual([{ readable: true }])
})

describe('one folder, one Tacho', () => {
  test('a second one is refused, and the first goes on', async () => {
    const folder = await makeData()
    const server = await startServer({ folder })
    await expect(startServer({ folder })).rejects.toThrow(
      `The data folder ${folder} is in use by another Tacho (its PostgreSQL is process ${server.pid}): ` +
        'stop that one, or choose another folder with TACHO_DATA.',
    )
    expect(await query(server.url, 'select count(*) >= 0 as readable from marks')).toEqual([{ readable: true }])
  })

  test('also while the first has no lock, as between its start and its lock', async () => {
    const folder = await makeData()
    const other = await startOther(folder)
    other.child.kill('SIGSTOP')
    const adminUrl = databaseUrl(join(folder, 'postgres'), 'postgres', ADMIN_ROLE)
    const holder = `select pid from pg_locks where locktype = 'advisory' and granted`
    await query(adminUrl, `select pg_terminate_backend(pid, 5000) from (${holder}) as holder`)
    await expect(startServer({ folder })).rejects.toThrow(
      `in use by another Tacho (its PostgreSQL is process ${other.pid})`,
    )
    expect(isAlive(other.pid!)).toBe(true)
    await kill(other)
    await (await startServer({ folder })).stop()
  })

  test.each(ROUNDS)('of three that start at the same instant, one wins (%i)', async round => {
    const folder = round === 1 ? join(await makeTemporaryFolder(), 'data') : await makeData()
    const starts = await Promise.all([startOther(folder), startOther(folder), startOther(folder)])
    const refused = starts.filter(start => start.refused)
    expect(refused.map(start => start.refused)).toEqual(
      Array(2).fill(expect.stringContaining('is in use by another Tacho')),
    )
    const winner = starts.find(start => !start.refused)!
    expect(isAlive(winner.pid!)).toBe(true)
    await kill(winner)
    await (await startServer({ folder })).stop()
  })
})

test.each([`o"d'd, ä%20 \\-`, 'long-'.repeat(20)])('a path that is odd, or too long for a socket (%s)', async name => {
  // Of its own: who else tests at the same time may have such a socket, too.
  vi.stubEnv('TMPDIR', await makeTemporaryFolder('tacho-'))
  onTestFinished(() => void vi.unstubAllEnvs())
  const folder = await makeData(name)
  const other = await startOther(folder)
  await kill(other)
  const server = await startServer({ folder })
  expect(await query(server.url, 'select count(*) >= 0 as readable from marks')).toEqual([{ readable: true }])
  await server.stop()
  const left = (await readdir(tmpdir())).filter(entry => entry.startsWith('tacho-socket-'))
  expect(left).toEqual([])
})

test('the server that runs on a folder is found, and only while it runs', async () => {
  const folder = await makeTemporaryFolder()
  expect(await findRunningServer(folder, false)).toBeUndefined()
  const server = await startServer({ folder: placeDatabase(folder) })
  const url = (await findRunningServer(folder, false))?.url
  expect(url).toBe(server.url)
  expect(await query(url ?? '', 'select 1 as one')).toEqual([{ one: 1 }])
  await server.stop()
  expect(await findRunningServer(folder, false)).toBeUndefined()
})
