import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { ensureFirstAccount } from '../../src/access/accounts.ts'
import { createKey } from '../../src/access/keys.ts'
import { ALL_PERMISSIONS } from '../../src/catalogue/permissions.ts'
import { type Database, openDatabase } from '../../src/db/database.ts'
import { writeTransaction } from '../../src/db/transaction.ts'
import { databaseUrl } from '../../src/server/embedded/claim.ts'
import { freePort } from '../../test/free-port.ts'
import { type ProcessCost, processCost } from './process-cost.ts'

/** `tacho serve` as an operator runs it, with its database on the same machine, in a folder of its own. */
export interface RunningService {
  readonly url: string
  /** The intake's own address, which a load balancer would know. */
  readonly intakeUrl: string
  readonly teltonikaPort: number
  readonly databaseUrl: string
  readonly database: Database
  readonly key: string
  /** Its settings other than those of a benchmark. */
  readonly environment: Readonly<Record<string, string>>
  /** Bytes of memory that a process of the service holds now. */
  residentBytes(role: 'api' | 'intake'): Promise<number>
  /** What all its processes together, PostgreSQL's included, have cost and hold. */
  cost(): Promise<ProcessCost>
  stop(): Promise<void>
}

const START_TIMEOUT_MS = 120_000
const STOP_TIMEOUT_MS = 60_000

/**
 * @param environment settings other than those of a benchmark, which no limit of requests may slow down; empty: the standard
 * @param placeDatabase puts a database into the folder; without it, the service makes one
 */
export async function runService(
  environment: Readonly<Record<string, string>> = {},
  placeDatabase: (folder: string) => unknown = () => undefined,
): Promise<RunningService> {
  const folder = await mkdtemp(join(tmpdir(), 'tacho-bench-'))
  await chmod(folder, 0o755)
  placeDatabase(folder)
  const port = await freePort()
  const teltonikaPort = await freePort()
  const intakePort = await freePort()
  const child = spawn(process.execPath, [fileURLToPath(new URL('../../bin/tacho.mjs', import.meta.url)), 'serve'], {
    env: {
      ...process.env,
      TACHO_DATA: folder,
      PORT: String(port),
      INTAKE_PORT: String(intakePort),
      TELTONIKA_PORT: String(teltonikaPort),
      DATABASE_URL: '',
      RATE_LIMIT: '1000000000',
      LOG_LEVEL: 'info',
      ...environment,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const pids = watchPids(child)
  const url = `http://127.0.0.1:${port}`
  await untilReady(url, child)
  const address = databaseUrl(join(folder, 'postgres'))
  const database = openDatabase({ url: address })
  const key = await writeTransaction(database, async transaction => {
    const { id } = await ensureFirstAccount(transaction)
    const terms = { accountId: id, name: 'bench', permissions: ALL_PERMISSIONS, expires: undefined }
    return (await createKey(transaction, terms)).secret
  })
  return {
    url,
    intakeUrl: `http://127.0.0.1:${intakePort}`,
    teltonikaPort,
    databaseUrl: address,
    database,
    key,
    environment,
    async residentBytes(role) {
      const status = await readFile(`/proc/${pids.get(role)}/status`, 'utf8')
      return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) * 1024
    },
    cost: () => processCost(child.pid ?? 0),
    async stop() {
      await database.close()
      const exited = once(child, 'exit')
      child.kill('SIGTERM')
      const isStopped = await Promise.race([exited.then(() => true), sleep(STOP_TIMEOUT_MS, false, { ref: false })])
      if (!isStopped) {
        const postgres = Number((await readFile(join(folder, 'postgres', 'postmaster.pid'), 'utf8')).split('\n', 1)[0])
        for (const pid of [child.pid, ...pids.values(), postgres]) if (pid !== undefined) process.kill(pid, 'SIGKILL')
        await exited
      }
      await rm(folder, { recursive: true, force: true })
      if (!isStopped)
        throw new Error(`the service did not stop within ${STOP_TIMEOUT_MS / 1000} seconds and was killed`)
    },
  }
}

/** The log says which process runs which role. */
function watchPids(child: ChildProcess): Map<string, number> {
  const pids = new Map<string, number>()
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    for (const [, pid, role] of text.matchAll(/"pid":(\d+),"role":"(api|intake)"/g))
      if (role) pids.set(role, Number(pid))
  })
  return pids
}

async function untilReady(url: string, child: ChildProcess): Promise<void> {
  const deadlineMs = Date.now() + START_TIMEOUT_MS
  while (Date.now() < deadlineMs && child.exitCode === null) {
    const reply = await fetch(`${url}/readyz`).catch(() => undefined)
    if (reply?.ok) return
    await sleep(50)
  }
  child.kill('SIGTERM')
  throw new Error('the service did not start')
}
