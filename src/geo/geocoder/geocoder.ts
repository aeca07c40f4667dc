import { createRequire } from 'node:module'
import type { AddressLanguage, AddressParts } from '../../derive/addresses/texts.ts'
import { type Clock, SYSTEM_CLOCK } from '../../lib/clock.ts'
import type { Position } from '../../model/sample.ts'
import { nominatim } from './nominatim.ts'
import { photon } from './photon.ts'
import { type ReverseProtocol, UnreadableAnswer } from './protocol.ts'

const PROTOCOLS = { nominatim, photon } satisfies Record<string, ReverseProtocol>

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

/** A geocoding server of the operator's choice. */
export class Geocoder {
  readonly #url: URL
  readonly #protocol: ReverseProtocol
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

  /**
   * @returns undefined when the server knows no address there.
   * @throws GeocoderFault, or the reason of the signal once that is aborted
   */
  async addressAt(
    position: Position,
    language: AddressLanguage,
    signal: AbortSignal,
  ): Promise<AddressParts | undefined> {
    const url = new URL(this.#url)
    for (const [name, value] of Object.entries(this.#protocol.parameters(position, language)))
      url.searchParams.set(name, value)
    const request = new AbortController()
    const stop = () => request.abort(signal.reason)
    signal.addEventListener('abort', stop, { once: true })
    const timer = setTimeout(() => request.abort(new GeocoderFault('no answer in time')), this.#timeoutMs)
    try {
      signal.throwIfAborted()
      return this.#protocol.readAnswer(JSON.parse(await this.#get(url, language, request.signal)))
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
  if (error instanceof UnreadableAnswer) return error.message
  if (error instanceof SyntaxError) return 'the answer is not JSON'
  if (!(error instanceof Error)) return 'no answer'
  const cause = error.cause instanceof Error && 'code' in error.cause ? ` (${String(error.cause.code)})` : ''
  return `no answer${cause}`
}

const { version } = createRequire(import.meta.url)('../../../package.json') as { readonly version: string }

/** Public servers refuse clients without a User-Agent. */
const USER_AGENT = `Tacho/${version}`
