import { CHECKSUM_BYTES, DATA_HEAD_BYTES, DATA_TAIL_BYTES, FRAME_HEAD_BYTES, IMEI_DIGITS } from './sizes.ts'

/** What a dongle sends over one connection, a packet at a time. */
export type TcpPacket =
  /** Two bytes with the length, then the digits; only as the first packet. */
  | { readonly kind: 'login'; readonly imei: string }
  /** A byte 0xFF between two packets. */
  | { readonly kind: 'keep-alive' }
  /** Four zero bytes, the length of the data, the data, their checksum. It may share memory with what was pushed. */
  | { readonly kind: 'frame'; readonly bytes: Buffer }
  /** Out of step: nothing after it can be trusted, and nothing after it is read. */
  | { readonly kind: 'broken'; readonly bytes: Buffer; readonly why: string }

const KEEP_ALIVE: TcpPacket = { kind: 'keep-alive' }
const KEEP_ALIVE_BYTE = 0xff

const LOGIN_HEAD_BYTES = 2
const LEAST_DATA_BYTES = DATA_HEAD_BYTES + DATA_TAIL_BYTES

const NOTHING = Buffer.alloc(0)

/** Cuts what one TCP connection sends into packets: several in one read, one in many reads. */
export class TcpPackets {
  readonly #mostBytes: number
  #isLoggedIn = false
  #isBroken = false
  /** The begin of a packet whose rest has not come, in the first `#waitingBytes` bytes. */
  #waiting: Buffer = NOTHING
  #waitingBytes = 0

  /** @param limits `mostBytes`: the longest frame that is taken, from its first zero byte to its checksum */
  constructor({ mostBytes }: { readonly mostBytes: number }) {
    this.#mostBytes = mostBytes
  }

  /** How much is kept of a packet whose rest has not come; always less than `mostBytes`. */
  get waitingBytes(): number {
    return this.#waitingBytes
  }

  /** @returns the packets that are whole now, in the order in which they were sent. */
  push(chunk: Buffer): readonly TcpPacket[] {
    const packets: TcpPacket[] = []
    let rest = chunk
    while (rest.length > 0 && !this.#isBroken)
      rest = this.#waitingBytes > 0 ? this.#goOn(rest, packets) : this.#begin(rest, packets)
    return packets
  }

  /** Reads the packet at the begin of a chunk, or keeps it for later. @returns what comes after it. */
  #begin(chunk: Buffer, packets: TcpPacket[]): Buffer {
    if (chunk[0] === KEEP_ALIVE_BYTE) {
      packets.push(KEEP_ALIVE)
      return chunk.subarray(1)
    }
    const needed = this.#neededBytes(chunk)
    if (typeof needed === 'string') return this.#break(chunk, needed, packets)
    if (chunk.length === needed) {
      this.#take(chunk, packets)
      return NOTHING
    }
    if (chunk.length > needed) {
      this.#take(chunk.subarray(0, needed), packets)
      return chunk.subarray(needed)
    }
    this.#keep(chunk, needed)
    return NOTHING
  }

  /** Goes on with the packet whose begin is kept. @returns what comes after it, or after its head. */
  #goOn(chunk: Buffer, packets: TcpPacket[]): Buffer {
    const needed = this.#neededBytes(this.#kept)
    if (typeof needed === 'string') return this.#break(this.#kept, needed, packets)
    const missing = needed - this.#waitingBytes
    this.#keep(chunk.subarray(0, missing), needed)
    const kept = this.#kept
    const neededNow = this.#neededBytes(kept)
    if (typeof neededNow === 'string') return this.#break(kept, neededNow, packets)
    if (kept.length === neededNow) {
      this.forget()
      this.#take(kept, packets)
    }
    return chunk.subarray(missing)
  }

  /** How long the packet is that begins here, or its head while that is not whole; or why it can be no packet. */
  #neededBytes(begin: Buffer): number | string {
    if (!this.#isLoggedIn) {
      if (begin.length < LOGIN_HEAD_BYTES) return LOGIN_HEAD_BYTES
      const digits = begin.readUInt16BE(0)
      if (digits !== IMEI_DIGITS) return `The login has ${digits} bytes, an IMEI ${IMEI_DIGITS}.`
      return LOGIN_HEAD_BYTES + IMEI_DIGITS
    }
    if (begin.length < FRAME_HEAD_BYTES) return FRAME_HEAD_BYTES
    if (begin.readUInt32BE(0) !== 0) return 'A frame must begin with four zero bytes.'
    const dataBytes = begin.readUInt32BE(4)
    if (dataBytes < LEAST_DATA_BYTES) return `A frame says that it has ${dataBytes} bytes of data; none is that short.`
    const frameBytes = FRAME_HEAD_BYTES + dataBytes + CHECKSUM_BYTES
    if (frameBytes > this.#mostBytes) return `A frame of ${frameBytes} bytes is longer than ${this.#mostBytes}.`
    return frameBytes
  }

  #take(bytes: Buffer, packets: TcpPacket[]): void {
    if (this.#isLoggedIn) {
      packets.push({ kind: 'frame', bytes })
      return
    }
    const imei = bytes.toString('latin1', LOGIN_HEAD_BYTES)
    if (!/^\d+$/.test(imei)) {
      this.#break(bytes, 'The login is not the digits of an IMEI.', packets)
      return
    }
    this.#isLoggedIn = true
    packets.push({ kind: 'login', imei })
  }

  #break(bytes: Buffer, why: string, packets: TcpPacket[]): Buffer {
    this.#isBroken = true
    this.forget()
    packets.push({ kind: 'broken', bytes, why })
    return NOTHING
  }

  get #kept(): Buffer {
    return this.#waiting.subarray(0, this.#waitingBytes)
  }

  /** Memory grows with what was sent, not with what a head promises. */
  #keep(bytes: Buffer, neededBytes: number): void {
    const length = this.#waitingBytes + bytes.length
    if (length > this.#waiting.length) {
      // Not from the pool: a few bytes that wait for hours would hold a whole slab of it.
      const larger = Buffer.allocUnsafeSlow(Math.min(neededBytes, Math.max(length, this.#waiting.length * 2)))
      this.#waiting.copy(larger, 0, 0, this.#waitingBytes)
      this.#waiting = larger
    }
    bytes.copy(this.#waiting, this.#waitingBytes)
    this.#waitingBytes = length
  }

  /** Gives up the begin of a packet, whose rest nobody waits for any more. */
  forget(): void {
    this.#waiting = NOTHING
    this.#waitingBytes = 0
  }
}
