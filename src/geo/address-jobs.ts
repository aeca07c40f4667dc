import type { Logger } from 'pino'
import type { Database } from '../db/database.ts'
import { GeocoderQueue } from './ask-geocoder.ts'
import { WaitingAddresses } from './fill-waiting.ts'
import type { Geocoder } from './geocoder/geocoder.ts'

/** The geocoding server that is used in addition to the gazetteer. */
export interface GeocoderUse {
  readonly geocoder: Geocoder
  /** Requests per minute, of all nodes together. */
  readonly budget: number
}

/** What fills in addresses beside the intake; each does what there is to do now, until the signal is aborted. */
interface AddressJobs {
  fillWaiting(signal: AbortSignal): Promise<void>
  askGeocoder(signal: AbortSignal): Promise<void>
}

/** @param use undefined when only the gazetteer is used */
export function createAddressJobs(database: Database, use: GeocoderUse | undefined, log: Logger): AddressJobs {
  const waiting = new WaitingAddresses(database)
  const queue = use && new GeocoderQueue({ database, ...use, log })
  return {
    async fillWaiting(signal) {
      while (!signal.aborted && (await waiting.fillSome()) > 0);
    },
    async askGeocoder(signal) {
      if (!queue) return
      while (!signal.aborted && (await queue.askOne(signal)));
    },
  }
}
