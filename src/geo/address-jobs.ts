import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { Database } from '../db/database.ts'
import {
  ADDRESS_LANGUAGES,
  type AddressLanguage,
  type AddressParts,
  type AddressQuestion,
  type AddressTexts,
  claimQuestion,
  fillAddresses,
  hasQuestions,
  pauseTurns,
  postponeQuestion,
  readUnansweredCell,
  readWaitingAddresses,
  takeTurn,
} from '../derive/addresses/addresses.ts'
import { type Clock, pause } from '../lib/clock.ts'
import { Gazetteer } from './gazetteer.ts'
import { Geocoder, GeocoderFault, type GeocoderOptions } from './geocoder.ts'
import type { FoundPlace } from './place-search.ts'

/** The geocoding server that is used in addition to the gazetteer. */
export interface GeocoderUse {
  readonly geocoder: Geocoder
  readonly budget: number
}

/** @returns undefined where no geocoder is set */
export function geocoderOf(
  { geocoderUrl: url, geocoderKind: kind, geocoderBudget: budget }: GeocoderSettings,
  clock: Clock,
): GeocoderUse | undefined {
  return url === undefined ? undefined : { geocoder: new Geocoder({ url, kind, clock }), budget }
}

interface GeocoderSettings {
  readonly geocoderUrl: string | undefined
  readonly geocoderKind: GeocoderOptions['kind']
  readonly geocoderBudget: number
}

/** Nobody waits longer for a turn after typing. */
const LONGEST_WAIT_MS = 3000

/** Asks for places of a name, within the budget. @returns undefined without an answer; a signal must end the waiting */
export async function findByGeocoder(
  database: Database,
  { geocoder, budget }: GeocoderUse,
  { text, most, language }: { readonly text: string; readonly most: number; readonly language: AddressLanguage },
  signal: AbortSignal,
): Promise<FoundPlace[] | undefined> {
  const waitMs = await takeTurn(database, MINUTE_MS / budget)
  if (waitMs > LONGEST_WAIT_MS) return undefined
  await pause(waitMs, signal)
  return geocoder.find(text, most, language, signal).catch(async error => {
    if (!(error instanceof GeocoderFault)) throw error
    if (error.retryAfterMs !== undefined) await pauseTurns(database, error.retryAfterMs)
    return undefined
  })
}

/** So few that a transaction takes some milliseconds: the shards of the trips are locked meanwhile. */
const BATCH = 100

/** Fills addresses from the gazetteer, or the geocoder's answer for the cell. @returns how many; 0 when none waits */
export async function fillWaitingAddresses(database: Database): Promise<number> {
  const waiting = await readWaitingAddresses(database, BATCH)
  if (waiting.length === 0) return 0
  const gazetteer = await Gazetteer.load()
  const fills = waiting.map(({ id, lat, lon, cellTexts }) => ({
    id,
    texts: cellTexts ?? gazetteer.textsAt({ lat, lon }),
    isGeocoded: cellTexts !== null && cellTexts !== undefined,
  }))
  return fillAddresses(database, fills)
}

const MINUTE_S = 60
const MINUTE_MS = 60_000
const RETRY_MS = 100
const LONGEST_POSTPONEMENT_S = 30 * 24 * 3600
const LONGEST_PAUSE_MS = 300_000

interface GeocoderQueueOptions extends GeocoderUse {
  readonly database: Database
  readonly log: Logger
}

/** Asks about addresses, one after another. The questions stand in the table, so nodes share them. */
export class GeocoderQueue {
  readonly #options: GeocoderQueueOptions
  /** Since the last answer. */
  #faults = 0

  constructor(options: GeocoderQueueOptions) {
    this.#options = options
  }

  /** Asks about one address, at the pace of the budget. @returns false when there was none, or the signal is aborted */
  async askOne(signal: AbortSignal): Promise<boolean> {
    const { database } = this.#options
    if (!(await hasQuestions(database)) || !(await this.#waitForTurn(signal))) return false
    const question = await claimQuestion(database)
    if (!question) return false
    if (question.cellTexts) await this.#keep(question, question.cellTexts)
    else await this.#askAbout(question, signal)
    return true
  }

  async #askAbout(question: AddressQuestion, signal: AbortSignal): Promise<void> {
    const { database, log } = this.#options
    try {
      const answer = await this.#ask(question, signal)
      if (this.#faults > 0) log.info({ faults: this.#faults }, 'the geocoder answers again')
      this.#faults = 0
      await (answer ? this.#keep(question, answer) : postponeQuestion(database, question.id, postponementS(question)))
    } catch (error) {
      const isFault = error instanceof GeocoderFault
      // When stopped while waiting, the place is left for the next process.
      if (isFault || signal.aborted)
        await postponeQuestion(database, question.id, isFault ? postponementS(question) : 0)
      if (isFault) await this.#pauseAfter(error)
      else if (!signal.aborted) throw error
    }
  }

  async #ask(question: AddressQuestion, signal: AbortSignal): Promise<AddressTexts | undefined> {
    const [first, second] = ADDRESS_LANGUAGES
    const en = await this.#options.geocoder.addressAt(question, first, signal)
    if (!en) return undefined
    if (!(await this.#waitForTurn(signal))) signal.throwIfAborted()
    const de = await this.#options.geocoder.addressAt(question, second, signal)
    return { en: merged(question.texts.en, en), de: merged(question.texts.de, de ?? {}) }
  }

  /** All places of the cell that have no answer yet share this one. */
  async #keep(question: AddressQuestion, texts: AddressTexts): Promise<void> {
    const { database } = this.#options
    for (;;) {
      const cell = await readUnansweredCell(database, question.id)
      const fills = cell.map(id => ({ id, texts, isGeocoded: true }))
      // One that a trip is just being written with is left out. As soon as one has the answer, the others find it.
      if (fills.length === 0 || (await fillAddresses(database, fills)) > 0) return
      await sleep(RETRY_MS)
    }
  }

  async #waitForTurn(signal: AbortSignal): Promise<boolean> {
    const { database, budget } = this.#options
    await pause(await takeTurn(database, MINUTE_MS / budget), signal)
    return !signal.aborted
  }

  /** The server has problems, or is rate limiting: all nodes leave it alone for a while. */
  async #pauseAfter(fault: GeocoderFault): Promise<void> {
    const pauseMs = Math.max(fault.retryAfterMs ?? 0, Math.min(1000 * 2 ** this.#faults, LONGEST_PAUSE_MS))
    this.#faults++
    this.#options.log.warn(
      { reason: fault.message, faults: this.#faults, pauseMs },
      'the geocoder failed; addresses have the texts of the gazetteer until it answers',
    )
    await pauseTurns(this.#options.database, pauseMs)
  }
}

/** A minute after the first time, then twice as long each time. */
function postponementS({ asked }: AddressQuestion): number {
  return Math.min(MINUTE_S * 2 ** (asked - 1), LONGEST_POSTPONEMENT_S)
}

/** City states have no state in the answers of some servers; the gazetteer knows it. */
function merged(before: AddressParts | undefined, answer: AddressParts): AddressParts {
  return { ...(before?.state !== undefined && answer.locality !== undefined && { state: before.state }), ...answer }
}
