import { hostname } from 'node:os'
import { Client, type ClientConfig, Pool, type PoolClient, type PoolConfig } from 'pg'
import { type Statement, sql } from './sql.ts'

/** Longer than most statements take, and about as long as it takes a new connection to run its first one. */
const PATIENCE_MS = 10

type Connected = Parameters<Pool['connect']>[0]

/** Those who wait for a connection, which the driver has, but does not declare. */
interface Queued {
  readonly _pendingQueue: { readonly callback: (error: Error) => void }[]
}

/** As the driver words it for those who ask later. */
const CLOSED = 'Cannot use a pool after calling end on the pool'

/** A pool that opens another connection only when somebody has waited for one, and one at a time: the driver's opens
 * all when the jobs of a starting intake ask at once, and each of them reads the catalogue. */
export class GrowingPool extends Pool {
  readonly #most: number
  #growth: NodeJS.Timeout | undefined
  #isOpening = false

  constructor({ max, ...config }: PoolConfig & { readonly max: number }) {
    super({ ...config, max: 1 })
    this.#most = max
    // Without a listener, a connection that breaks in use would end the process: its user gets the error from the next query.
    this.on('connect', client => client.on('error', () => undefined))
  }

  override connect(): Promise<PoolClient>
  override connect(connected: Connected): void
  override connect(connected?: Connected): Promise<PoolClient> | void {
    // One whose connections were closed begins anew.
    this.options.max = Math.max(1, this.totalCount)
    const client = connected ? super.connect(connected) : super.connect()
    this.#growIfSomebodyWaits()
    return client
  }

  override end(): Promise<void>
  override end(ended: () => void): void
  override end(ended?: () => void): Promise<void> | void {
    const result = ended ? super.end(ended) : super.end()
    // The driver gives them no connection any more, and says nothing: they would wait until the time is up, or for ever.
    for (const { callback } of (this as unknown as Queued)._pendingQueue.splice(0)) callback(new Error(CLOSED))
    return result
  }

  #growIfSomebodyWaits(): void {
    if (this.waitingCount <= this.idleCount || this.totalCount >= this.#most || this.#growth || this.#isOpening) return
    this.#growth = setTimeout(() => {
      this.#growth = undefined
      if (this.waitingCount > 0 && this.totalCount < this.#most && !this.ending) void this.#open()
    }, PATIENCE_MS)
  }

  /** The caller that waits longest gets it. */
  async #open(): Promise<void> {
    this.#isOpening = true
    this.options.max = this.totalCount + 1
    try {
      const client = await super.connect()
      client.release()
    } catch {
      // The next of those who wait tries it as well, and gets the error.
    } finally {
      this.#isOpening = false
    }
    this.#growIfSomebodyWaits()
  }
}

/** A connection outside of the pools. It is opened when it is first needed, and again after it was lost. */
export class OwnConnection {
  readonly #config: ClientConfig
  readonly #whenLost: () => void
  #client: Client | undefined

  /** @param whenLost called when it is lost or closed, with whatever it held in the database */
  constructor(config: ClientConfig, whenLost: () => void = () => undefined) {
    this.#config = config
    this.#whenLost = whenLost
  }

  /** For one caller at a time. @throws when it cannot be opened now. */
  async open(): Promise<Client> {
    if (this.#client) return this.#client
    const client = new Client(this.#config)
    client.on('error', () => this.#lost(client))
    client.on('end', () => this.#lost(client))
    await client.connect()
    this.#client = client
    return client
  }

  /** This is still the connection in use. */
  isOpen(client: Client): boolean {
    return this.#client === client
  }

  async close(): Promise<void> {
    const client = this.#client
    this.#client = undefined
    this.#whenLost()
    await client?.end().catch(() => undefined)
  }

  /** The end of a connection may be reported when the next one is already in use. */
  #lost(client: Client): void {
    if (this.#client !== client) return
    this.#client = undefined
    this.#whenLost()
  }
}

/** Does one piece of work on a connection of its own. */
export async function onConnection<T>(url: string, name: string, work: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client({ connectionString: url, application_name: name })
  // Without a listener, a connection that breaks would end the process: the statement in flight fails, too, and says so.
  client.on('error', () => undefined)
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}

/** Where the connections to this database are that have a name, for `from`; other databases of the server may have such, too. */
export function connectionsNamed(name: string): Statement {
  return sql`pg_stat_get_activity(null)
    where application_name = ${name} and datid = (select oid from pg_database where datname = current_database())`
}

export type ProcessRole = 'api' | 'intake'

/** PostgreSQL truncates names of connections at 63 characters. */
const MOST_HOST_CHARACTERS = 28

/** The name by which the database knows this process: `tacho intake host:4711 1768464000`. The last part says when it
 * started, in seconds (Unix time): its connections may be younger. */
export function processName(role: ProcessRole): string {
  const host = hostname().replaceAll(/[^\w.-]/g, '-')
  const startS = Math.round(performance.timeOrigin / 1000)
  return `tacho ${role} ${host.slice(0, MOST_HOST_CHARACTERS)}:${process.pid} ${startS}`
}

export function readProcessName(
  name: string,
): { readonly role: ProcessRole; readonly host: string; readonly pid: number; readonly startMs: number } | undefined {
  const [, role, host, pid, startS] = /^tacho (api|intake) (\S+):(\d+) (\d+)$/.exec(name) ?? []
  if ((role !== 'api' && role !== 'intake') || host === undefined) return undefined
  return { role, host, pid: Number(pid), startMs: Number(startS) * 1000 }
}
