import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { inject, onTestFinished } from 'vitest'
import { onConnection } from '../src/db/pool.ts'
import { type EmbeddedOptions, type EmbeddedServer, startEmbeddedServer } from '../src/server/embedded/server.ts'

export const silent = pino({ level: 'silent' })

/** A new folder that PostgreSQL's user can enter when root runs the tests. */
export async function makeTemporaryFolder(name = 'tacho-embedded-'): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), name))
  await chmod(folder, 0o755)
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return folder
}

/** Starts a server that is stopped with the test at the latest. */
export async function startServer(options: Partial<EmbeddedOptions> & { folder: string }): Promise<EmbeddedServer> {
  const server = await startEmbeddedServer({ log: silent, settings: { fsync: 'off' }, ...options })
  onTestFinished(() => server.stop())
  return server
}

export interface OtherProcess {
  readonly child: ChildProcess
  /** Of PostgreSQL, when it was started. */
  readonly pid: number | undefined
  readonly refused: string | undefined
}

/** Another Tacho, as far as the database goes, in a process of its own. */
export async function startOther(folder: string): Promise<OtherProcess> {
  const child = fork(inject('embeddedProcess'), [folder], { execArgv: [], stdio: 'inherit' })
  onTestFinished(() => {
    child.kill('SIGKILL')
  })
  const [answer] = (await once(child, 'message')) as [{ pid?: number; refused?: string }]
  return { child, pid: answer.pid, refused: answer.refused }
}

export async function query(url: string, sql: string): Promise<Record<string, unknown>[]> {
  return onConnection(url, 'test', async client => (await client.query(sql)).rows)
}

/** A zombie that the system's first process has not reaped yet is not alive. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return process.platform !== 'linux' || !/^\d+ \(.*\) [ZX]/.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))
  } catch {
    return false
  }
}
