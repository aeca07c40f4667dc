import { createRequire } from 'node:module'
import type { AddressLanguage, AddressParts } from '../derive/addresses/addresses.ts'
import { type Clock, SYSTEM_CLOCK } from '../lib/clock.ts'
import { isObject, type JsonFields } from '../model/json-object.ts'
import type { Position } from '../model/sample.ts'
import type { FoundPlace } from './place-search.ts'

export interface GeocoderOptions {
  /** Where the server is; `/reverse` is added unless the address ends with it, a query is kept. */
  readonly url: string
  readonly kind: keyof typeof PROTOCOLS
  /** A server that takes longer counts as failed. */
  readonly timeoutMs?: number
  readonly clock?: Clock
}

/** The server did not answer as it should; asking again later may help. */
export class GeocoderFault extends Error {
  /** Before that, the server does not want to be asked (Retry-After). */
  readonly retryAfterMs: number | undefined

  constructor(message: string, retryAfterMs?: number) {
    super(message)
    this.retryAfterMs = retryAfterMs
  }
}

const TIMEOUT_MS = 10_000
/** Real answers have one or two kilobytes. */
const MOST_BYTES = 256 * 1024
/** The longest Retry-After that is respected, because the server may have been restarted. */
const LONGEST_RETRY_AFTER_MS = 3_600_000

export class Geocoder {
  readonly #url: URL
  readonly #protocol: Protocol
  readonly #timeoutMs: number
  readonly #clock: Clock

  constructor({ url, kind, timeoutMs = TIMEOUT_MS, clock = SYSTEM_CLOCK }: GeocoderOptions) {
    this.#url = new URL(url)
    if (!/\/reverse\/?$/.test(this.#url.pathname))
      this.#url.pathname = `${this.#url.pathname.replace(/\/$/, '')}/reverse`
    this.#protocol = PROTOCOLS[kind]
    this.#timeoutMs = timeoutMs
    this.#clock = clock
  }

  /** @returns undefined without an address @throws GeocoderFault, or the reason of the signal once that is aborted */
  addressAt(position: Position, language: AddressLanguage, signal: AbortSignal): Promise<AddressParts | undefined> {
    const protocol = this.#protocol
    const parameters = protocol.parameters(position, language)
    return this.#ask(new URL(this.#url), parameters, { language, signal }, body => protocol.readAnswer(body))
  }

  /** @returns roads, houses and places of that name, the best first @throws as above */
  find(text: string, most: number, language: AddressLanguage, signal: AbortSignal): Promise<FoundPlace[]> {
    const protocol = this.#protocol
    const url = new URL(this.#url)
    url.pathname = url.pathname.replace(/\/reverse\/?$/, protocol.searchPath)
    return this.#ask(url, protocol.searchParameters(text, most, language), { language, signal }, body =>
      protocol.readFound(body).flatMap(({ answer, name, lat, lon }) => {
        const { road, houseNumber, postcode, locality, state, country } = protocol.readAnswer(answer) ?? {}
        const [first, ...others] = [name, joined(road, houseNumber), joined(postcode, locality), state, country]
          .filter((part, index, parts) => part && parts.indexOf(part) === index)
          .map(String)
        const isThere = first !== undefined && Math.abs(lat) <= 90 && Math.abs(lon) <= 180
        return isThere ? [{ name: first, within: others.join(', '), kind: 'address' as const, lat, lon }] : []
      }),
    )
  }

  async #ask<Answer>(
    url: URL,
    parameters: Readonly<Record<string, string>>,
    { language, signal }: { readonly language: AddressLanguage; readonly signal: AbortSignal },
    read: (body: unknown) => Answer,
  ): Promise<Answer> {
    for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value)
    // Not `AbortSignal.any` of a timeout: Node 20 may collect that as garbage before it is over, and keeps an entry in `signal`.
    const request = new AbortController()
    const stop = () => request.abort(signal.reason)
    const timer = setTimeout(() => request.abort(new GeocoderFault('no answer in time')), this.#timeoutMs)
    signal.addEventListener('abort', stop, { once: true })
    try {
      signal.throwIfAborted()
      return read(JSON.parse(await this.#get(url, language, request.signal)))
    } catch (error) {
      signal.throwIfAborted()
      throw error instanceof GeocoderFault ? error : new GeocoderFault(reasonOf(error))
    } finally {
      clearTimeout(timer)
      signal.removeEventListener('abort', stop)
    }
  }

  async #get(url: URL, language: AddressLanguage, signal: AbortSignal): Promise<string> {
    const response = await fetch(url, {
      headers: { accept: 'application/json', 'accept-language': language, 'user-agent': USER_AGENT },
      // Positions go to the server that the operator named, and nowhere else.
      redirect: 'error',
      signal,
    })
    if (!response.ok) {
      await response.body?.cancel()
      const retryAfterMs = readRetryAfter(response.headers.get('retry-after'), this.#clock.wallMs())
      throw new GeocoderFault(`status ${response.status}`, retryAfterMs)
    }
    return readText(response)
  }
}

async function readText(response: Response): Promise<string> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of response.body ?? []) {
    size += chunk.byteLength
    if (size > MOST_BYTES) throw new GeocoderFault(`the answer has more than ${MOST_BYTES} bytes`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

/** RFC 9110, 10.2.3: seconds or a date. */
function readRetryAfter(header: string | null, nowMs: number): number | undefined {
  if (header === null) return undefined
  const ms = /^\d+$/.test(header) ? Number(header) * 1000 : Date.parse(header) - nowMs
  return Number.isNaN(ms) ? undefined : Math.min(Math.max(ms, 0), LONGEST_RETRY_AFTER_MS)
}

/** The address of the request is left out: it may hold a key, and it holds a position. */
function reasonOf(error: unknown): string {
  if (error instanceof SyntaxError) return 'the answer is not JSON'
  if (!(error instanceof Error)) return 'no answer'
  const cause = error.cause instanceof Error && 'code' in error.cause ? ` (${String(error.cause.code)})` : ''
  return `no answer${cause}`
}

const { version } = createRequire(import.meta.url)('../../package.json') as { readonly version: string }

/** Public servers refuse clients without a User-Agent. */
const USER_AGENT = `Tacho/${version}`

/** How a kind of geocoding server is asked for the address of a position, or for places of a name, and what it answers. */
interface Protocol {
  parameters(position: Position, language: AddressLanguage): Readonly<Record<string, string>>
  /** @param body parsed from JSON @returns undefined without an address @throws GeocoderFault for another answer */
  readAnswer(body: unknown): AddressParts | undefined
  /** In place of `/reverse`. */
  readonly searchPath: string
  searchParameters(text: string, most: number, language: AddressLanguage): Readonly<Record<string, string>>
  /** @throws GeocoderFault */
  readFound(body: unknown): readonly Found[]
}

interface Found extends Position {
  readonly name: string | undefined
  /** Its address, as `readAnswer` takes it. */
  readonly answer: unknown
}

/** Longer than any name of a place; a server must not fill the database. */
const LONGEST_TEXT = 200

function firstText(fields: JsonFields, names: readonly string[]): string | undefined {
  for (const name of names) {
    const value = fields[name]
    if (typeof value === 'string' && value.trim() !== '') return value.trim().slice(0, LONGEST_TEXT)
  }
  return undefined
}

function joined(...parts: readonly (string | undefined)[]): string {
  return parts.filter(Boolean).join(' ')
}

function partsOf(parts: Readonly<Record<keyof AddressParts, string | undefined>>): AddressParts {
  return Object.fromEntries(Object.entries(parts).filter(([, text]) => text !== undefined))
}

/** Nominatim, https://nominatim.org/release-docs/latest/api/Reverse/ and /Search/ (format jsonv2). */
const nominatim: Protocol = {
  parameters: ({ lat, lon }, language) => ({
    lat: String(lat),
    lon: String(lon),
    format: 'jsonv2',
    addressdetails: '1',
    'accept-language': language,
  }),

  readAnswer(body) {
    if (!isObject(body)) throw new GeocoderFault('the answer is not a JSON object')
    // "Unable to geocode", with status 200: nothing is there, for example on the sea. Any other error is one.
    if (typeof body.error === 'string' && /unable to geocode/i.test(body.error)) return undefined
    const { address } = body
    if (!isObject(address)) throw new GeocoderFault('the answer is not one of Nominatim, which has an object "address"')
    return partsOf({
      road: firstText(address, ['road', 'pedestrian', 'footway', 'cycleway', 'path', 'square']),
      houseNumber: firstText(address, ['house_number']),
      suburb: firstText(address, ['suburb', 'city_district', 'borough', 'district', 'quarter', 'neighbourhood']),
      locality: firstText(address, ['city', 'town', 'village', 'hamlet', 'municipality']),
      state: firstText(address, ['state', 'province', 'region', 'state_district']),
      country: firstText(address, ['country']),
      postcode: firstText(address, ['postcode']),
    })
  },

  searchPath: '/search',
  searchParameters: (text, most, language) => ({
    q: text,
    format: 'jsonv2',
    addressdetails: '1',
    limit: String(most),
    'accept-language': language,
  }),

  readFound(body) {
    if (!Array.isArray(body)) throw new GeocoderFault('the answer is not one of Nominatim, which is a list')
    const found: readonly JsonFields[] = body.filter(isObject)
    return found.map(answer => ({
      answer,
      name: firstText(answer, ['name']),
      lat: Number(answer.lat),
      lon: Number(answer.lon),
    }))
  },
}

/** Photon, https://github.com/komoot/photon (reverse, api): GeoJSON with the nearest thing as the first feature. */
const photon: Protocol = {
  parameters: ({ lat, lon }, language) => ({ lat: String(lat), lon: String(lon), lang: language, limit: '1' }),

  readAnswer(body) {
    const [feature] = featuresOf(body)
    if (feature === undefined) return undefined
    if (!isObject(feature) || !isObject(feature.properties))
      throw new GeocoderFault('the answer is not one of Photon, whose features have "properties"')
    const { properties } = feature
    // The found thing itself has its name in `name`, not in the field of its kind.
    const own = (type: string) => (properties.type === type ? firstText(properties, ['name']) : undefined)
    return partsOf({
      road: firstText(properties, ['street']) ?? own('street'),
      houseNumber: firstText(properties, ['housenumber']),
      suburb: firstText(properties, ['district']) ?? own('district') ?? firstText(properties, ['locality']),
      locality: firstText(properties, ['city']) ?? own('city'),
      state: firstText(properties, ['state']) ?? own('state'),
      country: firstText(properties, ['country']) ?? own('country'),
      postcode: firstText(properties, ['postcode']),
    })
  },

  searchPath: '/api',
  searchParameters: (text, most, language) => ({ q: text, lang: language, limit: String(most) }),

  readFound: body =>
    featuresOf(body)
      .filter(isObject)
      .map(feature => {
        const { geometry, properties } = feature
        const at = isObject(geometry) && Array.isArray(geometry.coordinates) ? geometry.coordinates : []
        const name = isObject(properties) ? firstText(properties, ['name']) : undefined
        return { answer: { features: [feature] }, name, lat: Number(at[1]), lon: Number(at[0]) }
      }),
}

function featuresOf(body: unknown): readonly unknown[] {
  if (isObject(body) && Array.isArray(body.features)) return body.features
  throw new GeocoderFault('the answer is not one of Photon, which has a list "features"')
}

const PROTOCOLS = { nominatim, photon } satisfies Record<string, Protocol>
