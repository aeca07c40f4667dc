import type { Database } from '../db/database.ts'
import { fillAddresses } from '../derive/addresses/fill.ts'
import { readWaitingAddresses } from '../derive/addresses/waiting.ts'
import { Gazetteer } from './gazetteer/gazetteer.ts'

/** So few that a transaction takes some milliseconds: the shards of their trips are held meanwhile. */
const BATCH = 100

/**
 * Gives addresses that wait the texts of the gazetteer, or those of a geocoder that their cell has already. The
 * gazetteer is loaded when the first one needs it.
 */
export class WaitingAddresses {
  readonly #database: Database
  #gazetteer: Promise<Gazetteer> | undefined

  constructor(database: Database) {
    this.#database = database
  }

  /** @returns how many were filled: 0 when none waits, or all of them are being written by another transaction. */
  async fillSome(): Promise<number> {
    const waiting = await readWaitingAddresses(this.#database, BATCH)
    if (waiting.length === 0) return 0
    const gazetteer = await this.#load()
    return fillAddresses(
      this.#database,
      waiting.map(({ id, lat, lon, cellTexts }) =>
        cellTexts
          ? { id, texts: cellTexts, isGeocoded: true }
          : { id, texts: gazetteer.textsAt({ lat, lon }), isGeocoded: false },
      ),
    )
  }

  async #load(): Promise<Gazetteer> {
    this.#gazetteer ??= Gazetteer.load()
    try {
      return await this.#gazetteer
    } catch (error) {
      this.#gazetteer = undefined
      throw error
    }
  }
}
