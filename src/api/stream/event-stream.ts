import { Readable } from 'node:stream'
import type { FastifyReply } from 'fastify'
import type { ChangeBatch } from '../../changes/change-reader.ts'
import { Signal } from '../../lib/signal.ts'

/** The reason for which the service ended a stream; a client that reconnects resumes where it was. */
type StreamEnd = 'gone' | 'slow' | 'not allowed' | 'stopping'

interface EventStreamOptions {
  readonly position: string
  readonly heartbeatMs: number
  readonly countSent: () => void
  /** Called once when the stream has ended, for any reason. */
  readonly onEnd: (why: StreamEnd) => void
}

/** When more than this waits for a client, it is sent nothing more for now. */
const MOST_WAITING_BYTES = 1024 * 1024

/** While no more than this waits for it, a client counts as keeping up. */
const FEW_WAITING_BYTES = 64 * 1024

/** Senders check `isBehind` before too much waits. A client that receives nothing for a whole heartbeat is dropped. */
export class EventStream {
  readonly body: Readable
  readonly #response: FastifyReply['raw']
  readonly #onEnd: EventStreamOptions['onEnd']
  readonly #countSent: () => void
  readonly #heart: NodeJS.Timeout
  readonly #gone = new AbortController()
  /** Messages that may still wait, each with the number of bytes sent up to its end. */
  #unsure: { readonly piece: Buffer; readonly endBytes: number }[] = []
  #position: string
  #sentId: string | undefined
  #pushedBytes = 0
  #takenAtBeat = 0
  readonly #taken = new Signal()

  constructor(reply: FastifyReply, { position, heartbeatMs, countSent, onEnd }: EventStreamOptions) {
    this.#position = position
    this.#onEnd = onEnd
    this.#countSent = countSent
    this.#response = reply.raw
    this.body = new Readable({ read: () => this.#taken.emit() })
    this.#heart = setInterval(() => this.#beat(), heartbeatMs)
    reply.raw.on('drain', () => this.#taken.emit())
    reply.raw.once('close', () => this.end('gone'))
    // The client may have disconnected before the stream began; then only the close of the body is seen.
    this.body.once('close', () => this.end('gone'))
  }

  get isEnded(): boolean {
    return this.#gone.signal.aborted
  }

  /** Aborts when the stream has ended: reads for it can be cancelled. */
  get gone(): AbortSignal {
    return this.#gone.signal
  }

  /** The client knows everything up to this revision, or will when it has received what waits. */
  get position(): string {
    return this.#position
  }

  get isBehind(): boolean {
    return this.#waitingBytes > MOST_WAITING_BYTES
  }

  get waiting(): readonly Buffer[] {
    this.#forgetTaken()
    return this.#unsure.map(({ piece }) => piece)
  }

  get #waitingBytes(): number {
    return this.body.readableLength + this.#response.writableLength
  }

  send(event: EventText): void {
    this.sendBytes(bytesOf(event), event.id)
  }

  /** @param id of the message that these bytes are */
  sendBytes(bytes: Buffer, id: string | undefined): void {
    if (this.isEnded) return
    this.#countSent()
    this.#pushedBytes += bytes.length
    this.#unsure.push({ piece: bytes, endBytes: this.#pushedBytes })
    this.body.push(bytes)
    if (id === undefined) return
    this.#sentId = id
    this.reached(id)
  }

  /** Nothing up to this revision is missing, without a message that says so. */
  reached(revision: string): void {
    this.#position = revision
  }

  /** Resolves when the client has room for more, or the stream has ended. */
  async drained(): Promise<void> {
    while (!this.isEnded && this.#waitingBytes > FEW_WAITING_BYTES) await this.#taken.wait()
  }

  end(why: StreamEnd): void {
    if (this.isEnded) return
    this.#gone.abort(new Error(`the stream has ended: ${why}`))
    clearInterval(this.#heart)
    // We do not wait until a client has received the rest: it resumes where it was.
    if (this.#waitingBytes === 0 && why !== 'gone') this.body.push(null)
    else {
      this.#response.destroy()
      this.body.destroy()
    }
    this.#taken.emit()
    this.#onEnd(why)
  }

  #beat(): void {
    const takenBytes = this.#pushedBytes - this.#waitingBytes
    if (this.#waitingBytes > 0 && takenBytes <= this.#takenAtBeat) {
      this.end('slow')
      return
    }
    this.#takenAtBeat = takenBytes
    this.#forgetTaken()
    this.send(heartbeat(this.#position === this.#sentId ? undefined : this.#position))
  }

  #forgetTaken(): void {
    const takenBytes = this.#pushedBytes - this.#waitingBytes
    const first = this.#unsure.findIndex(({ endBytes }) => endBytes > takenBytes)
    this.#unsure.splice(0, first === -1 ? this.#unsure.length : first)
  }
}

interface EventText {
  readonly text: string
  /** Set where everything up to this revision, of all kinds, stands in this message or before it. */
  readonly id: string | undefined
}

/** How long a client waits before it reconnects when its stream has ended. */
const RECONNECT_AFTER_MS = 2_000

/** Longer messages are split; a single object may be longer. */
const MESSAGE_CHARACTERS = 256 * 1024

export function eventsOf({ kind, items, revision }: ChangeBatch): EventText[] {
  const groups: string[][] = []
  let length = Number.POSITIVE_INFINITY
  for (const json of items) {
    if (length + json.length > MESSAGE_CHARACTERS) {
      groups.push([])
      length = 0
    }
    groups.at(-1)?.push(json)
    length += json.length
  }
  return groups.map((group, index) => ({
    text: textOf(kind, `[${group.join(',')}]`),
    id: index === groups.length - 1 ? revision : undefined,
  }))
}

/** The first message of every stream: everything that changed after this revision follows. */
export function readyEvent(revision: string): EventText {
  const ready = textOf('ready', JSON.stringify({ modifyTimestamp: revision }))
  return { text: `retry: ${RECONNECT_AFTER_MS}\n${ready}`, id: revision }
}

export function namedEvent(name: string, object: object): EventText {
  return { text: textOf(name, JSON.stringify(object)), id: undefined }
}

/** Keeps proxies from closing an idle stream. Without data it is no event, but browsers remember its id (HTML, 9.2.6),
 * so that resuming after an idle night has little to read. */
function heartbeat(revision: string | undefined): EventText {
  return { text: ':\n\n', id: revision }
}

/** The id may stand anywhere in a message. */
export function bytesOf({ text, id }: EventText): Buffer {
  return Buffer.from(id === undefined ? text : `id: ${id}\n${text}`, 'utf8')
}

/** Our JSON has no line breaks between tokens and only escaped ones in strings, so the data is one line. */
function textOf(name: string, data: string): string {
  return `event: ${name}\ndata: ${data}\n\n`
}
