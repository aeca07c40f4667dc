import type { ClientConfig } from 'pg'
import { LEASE_LOCK_KIND } from '../locks.ts'
import { OwnConnection } from '../pool.ts'

/**
 * Shows to others that the lease owner of shards still runs: a lock that a connection of its own holds, and that the database
 * takes away when the process ends, however it does.
 */
export class LeaseLock {
  readonly #connection: OwnConnection
  #held: number | undefined
  #taking: Promise<boolean> | undefined

  constructor(config: ClientConfig) {
    this.#connection = new OwnConnection(config, () => (this.#held = undefined))
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
      const client = await this.#connection.open()
      await client.query('select pg_advisory_unlock_all()')
      await client.query('select pg_advisory_lock($1, $2)', [LEASE_LOCK_KIND, leaseOwner])
      if (!this.#connection.isOpen(client)) return false
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

  close(): Promise<void> {
    return this.#connection.close()
  }
}
