import { setTimeout as sleep } from 'node:timers/promises'

/** A message of a stream, as it was read. */
export interface ReceivedFrame {
  readonly event: string
  readonly id: string | undefined
  readonly data: unknown
  readonly receivedMs: number
}

export interface StreamRequest {
  readonly url: string
  readonly token: string
  /** What follows the question mark. */
  readonly query?: string
  readonly lastEventId?: string | undefined
  readonly language?: string
}

/** Longer than anything takes on a busy machine. */
const PATIENCE_MS = 100_000
const LOOK_EVERY_MS = 20

/** A client of `GET /stream` that reads frames as HTML, 9.2.6, says. */
export class StreamClient {
  readonly frames: ReceivedFrame[] = []
  comments = 0
  /** What `Last-Event-ID` of the next request would be. */
  lastEventId: string | undefined
  /** How the stream ended: in order, or cut off; undefined while it is open. */
  end: 'in order' | 'cut off' | undefined
  readonly response: Response
  readonly #cut: AbortController

  private constructor(response: Response, cut: AbortController) {
    this.response = response
    this.#cut = cut
    void this.#read()
  }

  /** @throws when the answer is not 200 */
  static async open({ url, token, query = '', lastEventId, language }: StreamRequest): Promise<StreamClient> {
    const cut = new AbortController()
    const response = await fetch(`${url}/stream?${query}`, {
      signal: cut.signal,
      headers: {
        authorization: `Bearer ${token}`,
        ...(lastEventId === undefined ? {} : { 'last-event-id': lastEventId }),
        ...(language === undefined ? {} : { 'accept-language': language }),
      },
    })
    if (response.status !== 200) throw new Error(`${response.status} ${await response.text()}`)
    const client = new StreamClient(response, cut)
    client.lastEventId = lastEventId
    return client
  }

  /** The objects of all frames of a resource, in the order in which they came. */
  objects<T>(name: string): T[] {
    return this.frames.filter(({ event }) => event === name).flatMap(({ data }) => data as T[])
  }

  /** Waits until what was received is as wanted. */
  async until(isDone: (client: StreamClient) => boolean, patienceMs = PATIENCE_MS): Promise<void> {
    const untilMs = performance.now() + patienceMs
    while (!isDone(this)) {
      if (performance.now() > untilMs) throw new Error(`not received: ${this.#summary()}`)
      await sleep(LOOK_EVERY_MS)
    }
  }

  ready(): Promise<void> {
    return this.until(({ frames }) => frames.length > 0)
  }

  /** Disconnects without closing the stream. */
  cut(): void {
    this.#cut.abort()
  }

  async #read(): Promise<void> {
    const decoder = new TextDecoder()
    let text = ''
    try {
      for await (const chunk of this.response.body ?? []) {
        text += decoder.decode(chunk as Uint8Array, { stream: true })
        const blocks = text.split('\n\n')
        text = blocks.pop() ?? ''
        for (const block of blocks) this.#take(block)
      }
      this.end = 'in order'
    } catch {
      this.end = 'cut off'
    }
  }

  #take(block: string): void {
    const fields = new Map<string, string>()
    for (const line of block.split('\n')) {
      if (line.startsWith(':')) this.comments++
      const [, name = '', value = ''] = /^([^:]+): ?(.*)$/.exec(line) ?? []
      fields.set(name, value)
    }
    const id = fields.get('id')
    if (id !== undefined) this.lastEventId = id
    const data = fields.get('data')
    if (data === undefined) return
    this.frames.push({
      event: fields.get('event') ?? 'message',
      id,
      data: JSON.parse(data) as unknown,
      receivedMs: performance.now(),
    })
  }

  #summary(): string {
    return JSON.stringify(this.frames.map(({ event, id }) => [event, id])).slice(0, 500)
  }
}
