import type { Sample } from '../../model/sample.ts'
import type { BinaryProtocol, Broken, ReportedFrame, ReportingDevice, StreamPacket } from '../shared/binary/protocol.ts'
import { FORMATS, readRecords } from './records.ts'

/** Teltonika's protocol over TCP and UDP. */
export const TELTONIKA: BinaryProtocol = {
  name: 'teltonika',
  unknownIds: {
    metric: 'tacho_teltonika_unknown_avl_ids_total',
    help: 'Elements of records without an event type or an available value, by AVL id.',
  },
  stream: {
    // Dongles send at most 1280 bytes at once; the format allows 255 records with long texts.
    mostBytes: 64 * 1024,
    lengthOf: tcpPacketBytes,
    readPacket: readTcpPacket,
    readFrame: (bytes, device) => answered(readTcpFrame(bytes, device), tcpAcknowledgement),
    loginRefused: Buffer.of(0),
  },
  readDatagram(bytes) {
    const packet = readUdpPacket(bytes)
    if (packet.kind === 'broken') return packet
    return {
      kind: 'frame',
      imei: packet.imei,
      read: device => answered(packet.read(device), records => udpAcknowledgement(packet, records)),
    }
  },
}

/** @param acknowledgement the answer when that many records are stored */
function answered(frame: CodecFrame, acknowledgement: (records: number) => Buffer): ReportedFrame {
  switch (frame.kind) {
    case 'data': {
      const { samples, unknownIds, records } = frame
      return { kind: 'data', samples, unknownIds, acknowledgement: acknowledgement(records) }
    }
    case 'messages': {
      const { codec, messages } = frame
      return { kind: 'messages', messages: messages.map(({ type, text }) => ({ fields: { codec, type }, text })) }
    }
    case 'broken':
      return frame
  }
}

/*
 * How Teltonika cuts bytes into frames; records.ts gives them meaning.
 *
 *     TCP login     length (2) | IMEI, 15 digits                       answered by one byte, 1 or 0
 *     TCP frame     0 (4) | length of data (4) | data | CRC-16 (4)     answered by the number of records (4)
 *     keep-alive    0xff, between two frames                           not answered
 *     UDP datagram  length (2) | packet id (2) | 1 | AVL packet id (1) | 15 (2) | IMEI | data
 *     data          codec (1) | count (1) | records or messages | count (1)
 */

export type CodecFrame =
  | {
      readonly kind: 'data'
      /** The number of records, which the acknowledgement contains. */
      readonly records: number
      /** At most one for each record; two may have the same time. */
      readonly samples: readonly Sample[]
      /** AVL ids without an event type, and the number of records with each of them. */
      readonly unknownIds: ReadonlyMap<number, number>
    }
  | { readonly kind: 'messages'; readonly codec: MessageCodec; readonly messages: readonly Message[] }
  | Broken

/** A TCP frame begins with four zero bytes, and four with the length of its data. */
export const FRAME_HEAD_BYTES = 8
/** It ends with the checksum of its data. */
export const CHECKSUM_BYTES = 4
/** Data begin with the codec and the number of records, and end with the same number. */
const DATA_HEAD_BYTES = 2
const DATA_TAIL_BYTES = 1
const LEAST_DATA_BYTES = DATA_HEAD_BYTES + DATA_TAIL_BYTES
/** One byte each. */
const IMEI_DIGITS = 15

const KEEP_ALIVE: StreamPacket = { kind: 'keep-alive', answer: undefined }
const KEEP_ALIVE_BYTE = 0xff
const LOGIN_HEAD_BYTES = 2
const LOGIN_ACCEPTED = Buffer.of(1)

/** @returns the length of the packet that begins here; undefined while too little of it is there. */
function tcpPacketBytes(begin: Buffer, isLoggedIn: boolean): number | undefined | Broken {
  if (begin[0] === KEEP_ALIVE_BYTE) return 1
  if (!isLoggedIn) {
    if (begin.length < LOGIN_HEAD_BYTES) return undefined
    const digits = begin.readUInt16BE(0)
    if (digits !== IMEI_DIGITS) return broken(`The login has ${digits} bytes, an IMEI ${IMEI_DIGITS}.`)
    return LOGIN_HEAD_BYTES + IMEI_DIGITS
  }
  if (begin.length < FRAME_HEAD_BYTES) return undefined
  if (begin.readUInt32BE(0) !== 0) return broken('A frame must begin with four zero bytes.')
  const dataBytes = begin.readUInt32BE(4)
  if (dataBytes < LEAST_DATA_BYTES)
    return broken(`A frame says that it has ${dataBytes} bytes of data; none is that short.`)
  return FRAME_HEAD_BYTES + dataBytes + CHECKSUM_BYTES
}

function readTcpPacket(bytes: Buffer, isLoggedIn: boolean): StreamPacket | Broken {
  if (bytes[0] === KEEP_ALIVE_BYTE) return KEEP_ALIVE
  if (isLoggedIn) return { kind: 'frame', bytes }
  const imei = bytes.toString('latin1', LOGIN_HEAD_BYTES)
  if (!/^\d+$/.test(imei)) return broken('The login is not the digits of an IMEI.')
  return { kind: 'login', imei, accepted: LOGIN_ACCEPTED }
}

/** Reads a TCP frame, from its first zero byte to the end of its checksum. */
export function readTcpFrame(bytes: Buffer, device: ReportingDevice): CodecFrame {
  const dataBytes = bytes.length - FRAME_HEAD_BYTES - CHECKSUM_BYTES
  if (dataBytes < 0) return refusedFrame(`${bytes.length} bytes are no frame`)
  if (bytes.readUInt32BE(0) !== 0) return refusedFrame('it does not begin with four zero bytes')
  const declared = bytes.readUInt32BE(4)
  if (declared !== dataBytes) return refusedFrame(`it says that it has ${declared} bytes of data, and has ${dataBytes}`)
  const to = FRAME_HEAD_BYTES + dataBytes
  const checksum = crc16(bytes, FRAME_HEAD_BYTES, to)
  const sent = bytes.readUInt32BE(to)
  if (checksum !== sent) return refusedFrame(`its checksum is ${hex(sent)}, that of its data ${hex(checksum)}`)
  return readData(bytes, FRAME_HEAD_BYTES, to, device)
}

/** The TCP acknowledgement: the number of stored records. */
export function tcpAcknowledgement(records: number): Buffer {
  return (TCP_ACKNOWLEDGEMENTS[records] ??= Buffer.of(0, 0, 0, records))
}

/** A frame has 255 records at most. */
const TCP_ACKNOWLEDGEMENTS: Buffer[] = []

interface UdpPacket {
  readonly kind: 'data'
  readonly packetId: number
  readonly avlPacketId: number
  readonly imei: string
  readonly read: (device: ReportingDevice) => CodecFrame
}

const UDP_LENGTH_BYTES = 2
const UDP_IMEI_AT = 8
const UDP_DATA_AT = UDP_IMEI_AT + IMEI_DIGITS

/** Reads the head of a datagram; its data are read when the device is known. */
export function readUdpPacket(bytes: Buffer): UdpPacket | Broken {
  if (bytes.length < UDP_DATA_AT) return refusedPacket(`${bytes.length} bytes are too few`)
  const declared = bytes.readUInt16BE(0)
  if (declared !== bytes.length - UDP_LENGTH_BYTES)
    return refusedPacket(`it says that ${declared} bytes follow, and ${bytes.length - UDP_LENGTH_BYTES} do`)
  const digits = bytes.readUInt16BE(UDP_IMEI_AT - 2)
  const imei = bytes.toString('latin1', UDP_IMEI_AT, UDP_DATA_AT)
  if (digits !== IMEI_DIGITS || !/^\d+$/.test(imei))
    return refusedPacket('it does not begin with the digits of an IMEI')
  return {
    kind: 'data',
    packetId: bytes.readUInt16BE(2),
    avlPacketId: bytes.readUInt8(5),
    imei,
    read: device => readData(bytes, UDP_DATA_AT, bytes.length, device),
  }
}

/** The UDP acknowledgement: both ids of the packet and the number of stored records. */
export function udpAcknowledgement(
  { packetId, avlPacketId }: Pick<UdpPacket, 'packetId' | 'avlPacketId'>,
  records: number,
): Buffer {
  const bytes = Buffer.of(0, 5, 0, 0, 1, avlPacketId, records)
  bytes.writeUInt16BE(packetId, 2)
  return bytes
}

/** Reads the common part of TCP and UDP: codec, count, records or messages, and the count again. */
function readData(bytes: Buffer, from: number, to: number, device: ReportingDevice): CodecFrame {
  if (to - from < LEAST_DATA_BYTES) return refusedFrame(`${to - from} bytes of data are too few`)
  const codec = bytes.readUInt8(from)
  const count = bytes.readUInt8(from + 1)
  const countAfter = bytes.readUInt8(to - DATA_TAIL_BYTES)
  const format = FORMATS.get(codec)
  if (!format && !isMessageCodec(codec))
    return refusedFrame(`codec ${codec}${codec === 7 ? ' (GH3000)' : ''} is not supported`)
  if (count !== countAfter)
    return refusedFrame(`it has ${count} records by the count before them, ${countAfter} by that after them`)
  if (count === 0) return refusedFrame('it has no records')
  const [at, end] = [from + DATA_HEAD_BYTES, to - DATA_TAIL_BYTES]
  if (isMessageCodec(codec)) {
    const messages = readMessages(bytes, at, end, count, codec)
    return messages
      ? { kind: 'messages', codec, messages }
      : refusedFrame(`its ${count} messages do not fill it exactly`)
  }
  const read = format && readRecords(bytes, at, end, count, format, device)
  return read ? { kind: 'data', records: count, ...read } : refusedFrame(`its ${count} records do not fill it exactly`)
}

/** A message between server and device, in text: a command and its answer, or what is connected to the device. */
interface Message {
  /** 5: command, 6: answer, 0x11: refused; codec 15 has others. */
  readonly type: number
  /** Text that is not printable is given in hexadecimal. */
  readonly text: string
}

type MessageCodec = 12 | 13 | 14 | 15

/** Fields before the text: a time (4 bytes), an IMEI (8). */
const BYTES_BEFORE_TEXT: Readonly<Record<MessageCodec, number>> = { 12: 0, 13: 4, 14: 8, 15: 12 }

const isMessageCodec = (codec: number): codec is MessageCodec => codec in BYTES_BEFORE_TEXT

/** @returns the `count` messages from `at` on; undefined unless they end exactly at `to`. */
function readMessages(
  bytes: Buffer,
  at: number,
  to: number,
  count: number,
  codec: MessageCodec,
): Message[] | undefined {
  const messages: Message[] = []
  const before = BYTES_BEFORE_TEXT[codec]
  let next = at
  for (let index = 0; index < count; index++) {
    if (next + 5 > to) return undefined
    const type = bytes.readUInt8(next)
    const size = bytes.readUInt32BE(next + 1)
    const start = next + 5
    next = start + size
    if (next > to || size < before) return undefined
    messages.push({ type, text: textOf(bytes.subarray(start + before, next)) })
  }
  return next === to ? messages : undefined
}

function textOf(bytes: Buffer): string {
  const text = bytes.toString('latin1')
  return /^[\t\r\n -~]*$/.test(text) ? text : bytes.toString('hex')
}

const CRC_TABLE = Uint16Array.from({ length: 256 }, (_, byte) => {
  let remainder = byte
  for (let bit = 0; bit < 8; bit++) remainder = remainder & 1 ? (remainder >>> 1) ^ 0xa001 : remainder >>> 1
  return remainder
})

/** The checksum of a frame: CRC-16/IBM (also called ARC), initial value 0, lowest bit first. */
export function crc16(bytes: Uint8Array, from: number, to: number): number {
  let remainder = 0
  for (let at = from; at < to; at++)
    remainder = (remainder >>> 8) ^ (CRC_TABLE[(remainder ^ (bytes[at] as number)) & 0xff] as number)
  return remainder
}

function broken(why: string): Broken {
  return { kind: 'broken', why }
}

const refusedFrame = (why: string) => broken(`The frame is refused: ${why}.`)
const refusedPacket = (why: string) => broken(`The packet is refused: ${why}.`)
const hex = (checksum: number) => checksum.toString(16).padStart(4, '0')
