import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { Agent, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { pino } from 'pino'
import { ensureAccount, ensureFirstAccount } from '../../src/access/accounts.ts'
import { createKey } from '../../src/access/keys.ts'
import { ALL_PERMISSIONS } from '../../src/catalogue/permissions.ts'
import { type Database, openDatabase } from '../../src/db/database.ts'
import { migrate } from '../../src/db/migrations.ts'
import { sql } from '../../src/db/sql.ts'
import { writeTransaction } from '../../src/db/transaction.ts'
import { databaseUrl } from '../../src/server/embedded/claim.ts'
import { startEmbeddedServer } from '../../src/server/embedded/server.ts'
import { makeDatabaseFolder } from '../../test/database-folder.ts'
import { freePort } from '../../test/free-port.ts'

/** `tacho serve` as an operator runs it, with its database on the same machine, in a folder of its own. */
export interface RunningService {
  readonly url: string
  readonly teltonikaPort: number
  readonly databaseUrl: string
  readonly database: Database
  readonly key: string
  readonly environment: Readonly<Record<string, string>>
  residentBytes(role: 'api' | 'intake'): Promise<number>
  cost(): Promise<ProcessCost>
  stop(): Promise<void>
}

const START_TIMEOUT_MS = 120_000
const STOP_TIMEOUT_MS = 60_000

export async function runService(
  environment: Readonly<Record<string, string>> = {},
  placeDatabase: (folder: string) => unknown = () => undefined,
): Promise<RunningService> {
  const folder = await mkdtemp(join(tmpdir(), 'tacho-bench-'))
  await chmod(folder, 0o755)
  placeDatabase(folder)
  const port = await freePort()
  const teltonikaPort = await freePort()
  const child = spawn(process.execPath, [fileURLToPath(new URL('../../bin/tacho.mjs', import.meta.url)), 'serve'], {
    env: {
      ...process.env,
      TACHO_DATA: folder,
      PORT: String(port),
      INTAKE_PORT: String(await freePort()),
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
  const { key } = await accountWithKey(database)
  return {
    url,
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

export function accountWithKey(
  database: Database,
  account?: string,
): Promise<{ readonly accountId: number; readonly key: string }> {
  return writeTransaction(database, async transaction => {
    const { id: accountId } = await (account === undefined
      ? ensureFirstAccount(transaction)
      : ensureAccount(transaction, account))
    const terms = { accountId, name: 'bench', permissions: ALL_PERMISSIONS, expires: undefined }
    return { accountId, key: (await createKey(transaction, terms)).secret }
  })
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

/** Linux counts in ticks of 10 ms, whatever the kernel's own tick is. */
const TICKS_A_SECOND = 100

interface ProcessCost {
  /** Time on a CPU since they began, of those that ended, too. */
  readonly cpuSeconds: number
  /** Memory, in which what processes share is counted once (PSS). */
  readonly bytes: number
}

async function processCost(rootPid: number): Promise<ProcessCost> {
  const pids = await familyOf(rootPid)
  const costs = await Promise.all(
    pids.map(async pid => ({ ticks: await ticksOf(pid), bytes: await sharedOnceBytes(pid) })),
  )
  return {
    cpuSeconds: costs.reduce((sum, { ticks }) => sum + ticks, 0) / TICKS_A_SECOND,
    bytes: costs.reduce((sum, { bytes }) => sum + bytes, 0),
  }
}

async function familyOf(rootPid: number): Promise<number[]> {
  const parents = new Map<number, number>()
  for (const name of await readdir('/proc'))
    if (/^\d+$/.test(name)) parents.set(Number(name), Number((await statOf(Number(name)))[1] ?? 0))
  const isOfFamily = (pid: number): boolean =>
    pid === rootPid || (parents.has(pid) && isOfFamily(parents.get(pid) ?? 0))
  return [...parents.keys()].filter(isOfFamily)
}

/** Fields 14 to 17 of proc_pid_stat(5): of the process, and of its ended children. */
async function ticksOf(pid: number): Promise<number> {
  const fields = await statOf(pid)
  return fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0)
}

/** The fields from the third one on: the second, a name, may contain spaces. */
async function statOf(pid: number): Promise<string[]> {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')
  return text.slice(text.lastIndexOf(')') + 2).split(' ')
}

async function sharedOnceBytes(pid: number): Promise<number> {
  const text = await readFile(`/proc/${pid}/smaps_rollup`, 'utf8').catch(() => '')
  return Number(/^Pss:\s+(\d+) kB/m.exec(text)?.[1] ?? 0) * 1024
}

export async function withDatabase<T>(work: (database: Database) => Promise<T>): Promise<T> {
  const folder = await makeDatabaseFolder('tacho-bench-')
  const server = await startEmbeddedServer({ folder, log: pino({ level: 'silent' }) })
  try {
    await migrate(server.url, { log: pino({ level: 'silent' }) })
    const database = openDatabase({ url: server.url })
    try {
      return await work(database)
    } finally {
      await database.close()
    }
  } finally {
    await server.stop()
    await rm(folder, { recursive: true, force: true })
  }
}

/** Resolves when nothing that was stored waits to be derived. */
export async function allDerived({ database }: RunningService): Promise<void> {
  const waiting = () => database.rows(sql`select from due where kind <> 'history' limit 1`)
  while ((await waiting()).length > 0) await sleep(20)
}

export async function sendBodies(
  { url, key }: { readonly url: string; readonly key: string },
  bodies: readonly string[],
  connections: number,
): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: connections })
  let next = 0
  const worker = async () => {
    while (next < bodies.length) await post(agent, `${url}/ingest/events`, key, bodies[next++] ?? '')
  }
  await Promise.all(Array.from({ length: connections }, worker))
  agent.destroy()
}

function post(agent: Agent, url: string, key: string, body: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const headers = {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
    }
    const sent = request(url, { method: 'POST', agent, headers }, reply => {
      reply
        .resume()
        .once('end', () => (reply.statusCode === 200 ? resolve() : reject(new Error(`status ${reply.statusCode}`))))
    })
    sent.once('error', reject).end(body)
  })
}

export function download(agent: Agent, url: string, key: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { agent, headers: { authorization: `Bearer ${key}` } }, reply => {
      let bytes = 0
      reply.on('data', (chunk: Buffer) => (bytes += chunk.length))
      reply.once('end', () =>
        reply.statusCode === 200 ? resolve(bytes) : reject(new Error(`status ${reply.statusCode}`)),
      )
    })
    sent.once('error', reject).end()
  })
}
