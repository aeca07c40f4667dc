import { Client, type ClientConfig } from 'pg'

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

  /** For one caller at a time. @throws when it can not be opened now. */
  async open(): Promise<Client> {
    if (this.#client) return this.#client
    const client = new Client(this.#config)
    client.on('error', () => this.#lost(client))
    client.on('end', () => this.#lost(client))
    await client.connect()
    this.#client = client
    return client
  }

  /** Whether this is still the connection in use. */
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
