import { Client, type ClientConfig } from 'pg'
import { KEEPER_LOCK_KIND } from '../advisory-locks.ts'

/**
 * Shows to others that the keeper of lanes still runs: a lock that a connection of its own holds, and that the database
 * takes away when the process ends, however it does.
 */
export class KeeperLock {
  readonly #config: ClientConfig
  #client: Client | undefined
  #held: number | undefined

  constructor(config: ClientConfig) {
    this.#config = config
  }

  /** @returns whether the lock is held under this number; if not now, then perhaps the next time. */
  async hold(keeper: number): Promise<boolean> {
    if (this.#held === keeper) return true
    try {
      this.#client ??= await this.#connect()
      await this.#client.query('select pg_advisory_unlock_all()')
      await this.#client.query('select pg_advisory_lock($1, $2)', [KEEPER_LOCK_KIND, keeper])
      this.#held = keeper
      return true
    } catch {
      // Without a database nothing can be stored either: whoever tries that says what is wrong.
      await this.close()
      return false
    }
  }

  async close(): Promise<void> {
    const client = this.#client
    this.#lost()
    await client?.end().catch(() => undefined)
  }

  async #connect(): Promise<Client> {
    const client = new Client(this.#config)
    client.on('error', () => this.#lost())
    client.on('end', () => this.#lost())
    await client.connect()
    return client
  }

  #lost(): void {
    this.#client = undefined
    this.#held = undefined
  }
}
