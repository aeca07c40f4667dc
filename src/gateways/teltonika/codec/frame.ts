import type { Sample } from '../../../model/sample.ts'
import type { ReportingDevice } from '../../shared/binary/protocol.ts'
import { crc16 } from './crc16.ts'
import { FORMATS } from './layout.ts'
import { type Message, type MessageCodec, messageCodec, readMessages } from './messages.ts'
import { readRecords } from './records.ts'
import { CHECKSUM_BYTES, DATA_HEAD_BYTES, DATA_TAIL_BYTES, FRAME_HEAD_BYTES } from './sizes.ts'

/** The content of one frame. */
export type Frame =
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
  | { readonly kind: 'broken'; readonly why: string }

/** Reads a TCP frame, from its first zero byte to the end of its checksum. */
export function readTcpFrame(bytes: Buffer, device: ReportingDevice): Frame {
  const dataBytes = bytes.length - FRAME_HEAD_BYTES - CHECKSUM_BYTES
  if (dataBytes < 0) return broken(`${bytes.length} bytes are no frame`)
  if (bytes.readUInt32BE(0) !== 0) return broken('it does not begin with four zero bytes')
  const declared = bytes.readUInt32BE(4)
  if (declared !== dataBytes) return broken(`it says that it has ${declared} bytes of data, and has ${dataBytes}`)
  const to = FRAME_HEAD_BYTES + dataBytes
  const checksum = crc16(bytes, FRAME_HEAD_BYTES, to)
  const sent = bytes.readUInt32BE(to)
  if (checksum !== sent) return broken(`its checksum is ${hex(sent)}, that of its data ${hex(checksum)}`)
  return readBody(bytes, FRAME_HEAD_BYTES, to, device)
}

/** A frame counts its records in one byte. */
const MOST_RECORDS = 255

const ACKNOWLEDGEMENTS: readonly Buffer[] = Array.from({ length: MOST_RECORDS + 1 }, (_, records) =>
  Buffer.of(0, 0, 0, records),
)

/** The TCP acknowledgement: the number of stored records. Shared, do not modify it. */
export function tcpAcknowledgement(records: number): Buffer {
  const bytes = ACKNOWLEDGEMENTS[records]
  if (!bytes) throw new RangeError(`no frame has ${records} records`)
  return bytes
}

/** Reads the common part of TCP and UDP: codec, count, records or messages, and the count again. */
export function readBody(bytes: Buffer, from: number, to: number, device: ReportingDevice): Frame {
  if (to - from < DATA_HEAD_BYTES + DATA_TAIL_BYTES) return broken(`${to - from} bytes of data are too few`)
  const codec = bytes.readUInt8(from)
  const count = bytes.readUInt8(from + 1)
  const countAfter = bytes.readUInt8(to - DATA_TAIL_BYTES)
  const format = FORMATS.get(codec)
  const ofMessages = messageCodec(codec)
  if (!format && ofMessages === undefined) return broken(`codec ${codec}${NAMES.get(codec) ?? ''} is not supported`)
  if (count !== countAfter)
    return broken(`it has ${count} records by the count before them, ${countAfter} by that after them`)
  if (count === 0) return broken('it has no records')
  const at = from + DATA_HEAD_BYTES
  const end = to - DATA_TAIL_BYTES
  if (ofMessages !== undefined) {
    const messages = readMessages(bytes, at, end, count, ofMessages)
    return messages
      ? { kind: 'messages', codec: ofMessages, messages }
      : broken(`its ${count} messages do not fill it exactly`)
  }
  const read = format && readRecords(bytes, at, end, count, format, device)
  if (!read) return broken(`its ${count} records do not fill it exactly`)
  return { kind: 'data', records: count, samples: read.samples, unknownIds: read.unknownIds }
}

const NAMES: ReadonlyMap<number, string> = new Map([[7, ' (GH3000)']])

function broken(why: string): Frame {
  return { kind: 'broken', why: `The frame is refused: ${why}.` }
}

function hex(checksum: number): string {
  return checksum.toString(16).padStart(4, '0')
}
