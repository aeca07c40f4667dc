import { setTimeout as sleep } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import { type ReceivedFrame, StreamClient, type StreamRequest } from './stream-client.ts'

type Known = Readonly<Record<string, Map<string, unknown>>>

interface Identified {
  readonly id: string | number
}

const LISTS = ['vehicles', 'devices', 'trips', 'dtcs'] as const
const PATIENCE_MS = 100_000

/**
 * A client that relies on the stream alone: by id the newest object of every list, and every event.
 * It may be cut off at any time, and goes on with the last id that it has.
 */
export class FollowedFleet {
  readonly #request: StreamRequest
  readonly #known: Known = {
    vehicles: new Map(),
    devices: new Map(),
    trips: new Map(),
    dtcs: new Map(),
    events: new Map(),
  }
  #client: StreamClient | undefined
  #applied = 0
  #lastEventId: string | undefined

  /** @param request with the id from which on it follows */
  constructor(request: StreamRequest) {
    this.#request = request
    this.#lastEventId = request.lastEventId
  }

  /** @param url of the node to connect to, when it is another one */
  async connect(url = this.#request.url): Promise<StreamClient> {
    this.#client = await StreamClient.open({ ...this.#request, url, lastEventId: this.#lastEventId })
    this.#applied = 0
    await this.#client.ready()
    return this.#client
  }

  cut(): void {
    this.#apply()
    this.#lastEventId = this.#client?.lastEventId
    this.#client?.cut()
  }

  /**
   * What it believes, and what the lists answer, deleted objects and all: as soon as that is the same, or after a time
   * in which it should have been.
   */
  async comparedWithLists(eventTypes: string): Promise<{ readonly believed: object; readonly listed: object }> {
    const untilMs = performance.now() + PATIENCE_MS
    for (;;) {
      const listed = sorted(await this.#lists(eventTypes))
      this.#apply()
      const believed = sorted(this.#known)
      if (isDeepStrictEqual(believed, listed) || performance.now() > untilMs) return { believed, listed }
      await sleep(50)
    }
  }

  #apply(): void {
    const frames = this.#client?.frames ?? []
    for (const frame of frames.slice(this.#applied)) applyFrame(this.#known, frame)
    this.#applied = frames.length
  }

  async #lists(eventTypes: string): Promise<Known> {
    const all = 'maxResults=10000&filterTimestamp=1970-01-01'
    const read = async (path: string) => {
      const { url, token, language = 'en' } = this.#request
      const headers = { authorization: `Bearer ${token}`, 'accept-language': language }
      const reply = await fetch(`${url}/cc/v2.0${path}`, { headers })
      return (await reply.json()) as Record<string, Identified[]> & Identified[]
    }
    const maps = LISTS.map(async name => [name, byId((await read(`/${name}?${all}`))[name] ?? [])] as const)
    const events = await read(`/events?${all}&eventType=${eventTypes}`)
    return { ...Object.fromEntries(await Promise.all(maps)), events: byText(events) }
  }
}

function applyFrame(known: Known, { event, data }: ReceivedFrame): void {
  if (event === 'ready') return
  const map = known[event]
  const received = event === 'events' ? byText(data as object[]) : byId(data as Identified[])
  for (const [key, object] of received) map?.set(key, object)
}

function byId(objects: readonly Identified[]): Map<string, unknown> {
  return new Map(objects.map(object => [String(object.id), object]))
}

function byText(events: readonly object[]): Map<string, unknown> {
  return new Map(events.map(event => [JSON.stringify(event), event]))
}

function sorted(known: Known): object {
  const entries = Object.entries(known).map(
    ([name, map]) => [name, [...map].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, object]) => object)] as const,
  )
  return Object.fromEntries(entries)
}
