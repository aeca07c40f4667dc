import type { Broken, StreamPacket, StreamProtocol } from './protocol.ts'

/** A packet that a dongle sent over one connection. */
export type ReceivedPacket =
  | StreamPacket
  /** Out of sync: nothing after it can be trusted, and nothing after it is read. */
  | (Broken & { readonly bytes: Buffer })

const NOTHING = Buffer.alloc(0)
/** The minimum of further bytes before the end of a packet is searched again. */
const LEAST_MORE_BYTES = 16

/** Splits the bytes of a TCP connection into packets: several in one read, or one in many reads. */
export class StreamPackets {
  readonly #protocol: StreamProtocol
  #isLoggedIn = false
  #isBroken = false
  /** The start of an incomplete packet, in the first `#waitingBytes` bytes. */
  #waiting: Buffer = NOTHING
  #waitingBytes = 0
  /** The length of that packet, if known. */
  #expectedBytes: number | undefined

  constructor(protocol: StreamProtocol) {
    this.#protocol = protocol
  }

  /** How many bytes of an incomplete packet are kept; always less than `mostBytes`. */
  get waitingBytes(): number {
    return this.#waitingBytes
  }

  /** @returns the packets that are complete now, in the order in which they were sent. */
  push(chunk: Buffer): readonly ReceivedPacket[] {
    const packets: ReceivedPacket[] = []
    let rest = chunk
    while (rest.length > 0 && !this.#isBroken)
      rest = this.#waitingBytes > 0 ? this.#goOn(rest, packets) : this.#begin(rest, packets)
    return packets
  }

  /** Reads the packet at the start of a chunk, or keeps it for later. @returns the rest of the chunk. */
  #begin(chunk: Buffer, packets: ReceivedPacket[]): Buffer {
    const length = this.#lengthOf(chunk)
    if (typeof length === 'object') this.#break(chunk, length.why, packets)
    else if (length === undefined || length > chunk.length) this.#keep(chunk, length)
    else if (length < chunk.length) {
      this.#take(chunk.subarray(0, length), packets)
      return chunk.subarray(length)
    } else this.#take(chunk, packets)
    return NOTHING
  }

  /** Continues the packet whose start is kept. @returns the bytes that it did not need. */
  #goOn(chunk: Buffer, packets: ReceivedPacket[]): Buffer {
    const keptBytes = this.#waitingBytes
    const missingBytes = (this.#expectedBytes ?? this.#nextLook(keptBytes)) - keptBytes
    this.#keep(chunk.subarray(0, missingBytes), this.#expectedBytes)
    const kept = this.#waiting.subarray(0, this.#waitingBytes)
    const length = this.#expectedBytes ?? this.#lengthOf(kept)
    if (typeof length === 'object') {
      this.#break(kept, length.why, packets)
      return NOTHING
    }
    if (length === undefined || length > kept.length) {
      this.#expectedBytes = length
      return chunk.subarray(missingBytes)
    }
    this.forget()
    this.#take(kept.subarray(0, length), packets)
    return chunk.subarray(length - keptBytes)
  }

  /** Twice as many bytes each time, so that a long packet is not searched for its end a few bytes at a time. */
  #nextLook(keptBytes: number): number {
    return Math.min(this.#protocol.mostBytes, keptBytes + Math.max(keptBytes, LEAST_MORE_BYTES))
  }

  /** The length of the packet that begins here; undefined while it is not known. */
  #lengthOf(begin: Buffer): number | undefined | Broken {
    const { mostBytes } = this.#protocol
    const length = this.#protocol.lengthOf(begin, this.#isLoggedIn)
    if (typeof length === 'object') return length
    if (length === undefined && begin.length < mostBytes) return undefined
    if (length === undefined) return { kind: 'broken', why: `A frame does not end within ${mostBytes} bytes.` }
    if (length <= mostBytes) return length
    return { kind: 'broken', why: `A frame of ${length} bytes is longer than ${mostBytes}.` }
  }

  #take(bytes: Buffer, packets: ReceivedPacket[]): void {
    const packet = this.#protocol.readPacket(bytes, this.#isLoggedIn)
    if (packet.kind === 'broken') this.#break(bytes, packet.why, packets)
    else if (packet.kind === 'login' && this.#isLoggedIn) this.#break(bytes, 'It has logged in before.', packets)
    else if (packet.kind === 'frame' && !this.#isLoggedIn) this.#break(bytes, 'A frame came before the login.', packets)
    else {
      this.#isLoggedIn ||= packet.kind === 'login'
      packets.push(packet)
    }
  }

  #break(bytes: Buffer, why: string, packets: ReceivedPacket[]): void {
    this.#isBroken = true
    this.forget()
    packets.push({ kind: 'broken', bytes, why })
  }

  /** Memory grows with the bytes received, not with the length that a header claims. */
  #keep(bytes: Buffer, expectedBytes: number | undefined): void {
    this.#expectedBytes = expectedBytes
    const length = this.#waitingBytes + bytes.length
    if (length > this.#waiting.length) {
      const mostBytes = expectedBytes ?? this.#protocol.mostBytes
      // Not from the pool: a few bytes that wait for hours would keep a whole slab alive.
      const larger = Buffer.allocUnsafeSlow(Math.min(mostBytes, Math.max(length, this.#waiting.length * 2)))
      this.#waiting.copy(larger, 0, 0, this.#waitingBytes)
      this.#waiting = larger
    }
    bytes.copy(this.#waiting, this.#waitingBytes)
    this.#waitingBytes = length
  }

  /** Drops the incomplete packet. */
  forget(): void {
    this.#waiting = NOTHING
    this.#waitingBytes = 0
    this.#expectedBytes = undefined
  }
}
