import { Client, type ClientConfig } from 'pg'
import { LEASE_LOCK_KIND } from '../advisory-locks.ts'

/**
 * Shows to others that the lease owner of shards still runs: a lock that a connection of its own holds, and that the database
 * takes away when the process ends, however it does.
 */
export class LeaseLock {
  readonly #config: ClientConfig
  #client: Client | undefined
  #held: number | undefined
  #taking: Promise<boolean> | undefined

  constructor(config: ClientConfig) {
    this.#config = config
  }

  /** @returns whether the lock is held under this number; if not now, then perhaps the next time. */
  async hold(leaseOwner: number): Promise<boolean> {
    // Two at once would wait for each other's lock.
    while (this.#taking) await this.#taking
    if (this.#held === leaseOwner) return true
    this.#taking = this.#take(leaseOwner)
    try {
      return await this.#taking
    } finally {
      this.#taking = undefined
    }
  }

  async #take(leaseOwner: number): Promise<boolean> {
    try {
      const client = this.#client ?? (await this.#connect())
      this.#client = client
      await client.query('select pg_advisory_unlock_all()')
      await client.query('select pg_advisory_lock($1, $2)', [LEASE_LOCK_KIND, leaseOwner])
      if (this.#client !== client) return false
      this.#held = leaseOwner
      return true
    } catch {
      // Without a database nothing can be stored either: whoever tries that says what is wrong.
      await this.close()
      return false
    }
  }

  /** Lets go of a number under which this process does not run any more: what waits under it is for whoever finds it. */
  async releaseFormer(leaseOwner: number): Promise<void> {
    if (this.#held !== undefined && this.#held !== leaseOwner) await this.close()
  }

  async close(): Promise<void> {
    const client = this.#client
    this.#client = undefined
    this.#held = undefined
    await client?.end().catch(() => undefined)
  }

  async #connect(): Promise<Client> {
    const client = new Client(this.#config)
    client.on('error', () => this.#lost(client))
    client.on('end', () => this.#lost(client))
    await client.connect()
    return client
  }

  /** The end of a connection may be told when the next one has long taken its place. */
  #lost(client: Client): void {
    if (this.#client !== client) return
    this.#client = undefined
    this.#held = undefined
  }
}
