import { crc16 } from '../../src/gateways/teltonika/codec/crc16.ts'
import { CHECKSUM_BYTES, FRAME_HEAD_BYTES } from '../../src/gateways/teltonika/codec/sizes.ts'
import type { Sample } from '../../src/model/sample.ts'
import { ByteWriter } from './byte-writer.ts'
import { writeRecord } from './write-record.ts'

/* What a dongle sends: for the virtual fleet, benchmarks and tests. */

/** Codec 8 has no elements of variable length and none with an id above 255. */
export type DataCodec = 8 | '8E'

const MOST_RECORDS = 255

/** The first packet of a connection over TCP. */
export function loginPacket(imei: string): Buffer {
  const bytes = Buffer.alloc(2 + imei.length)
  bytes.writeUInt16BE(imei.length, 0)
  bytes.write(imei, 2, 'latin1')
  return bytes
}

/**
 * A frame with a record for each sample. It is the inverse of reading, as far as there are AVL ids: an event without
 * one is left out, numbers are rounded to the resolution of their element, and without a POSITION the only value
 * of the receiver is the number of satellites. A record has room for one harsh driving event.
 * @param samples 1 to 255, of one device
 * @throws RangeError for more or fewer
 */
export function writeTcpFrame(samples: readonly Sample[], codec: DataCodec = '8E'): Buffer {
  return framed(body(samples, codec))
}

/** The same over UDP. */
export function writeUdpPacket(
  { imei, packetId, avlPacketId }: { readonly imei: string; readonly packetId: number; readonly avlPacketId: number },
  samples: readonly Sample[],
  codec: DataCodec = '8E',
): Buffer {
  const data = body(samples, codec)
  const head = Buffer.alloc(8)
  head.writeUInt16BE(head.length - 2 + imei.length + data.length, 0)
  head.writeUInt16BE(packetId, 2)
  head.writeUInt8(1, 4)
  head.writeUInt8(avlPacketId, 5)
  head.writeUInt16BE(imei.length, 6)
  return Buffer.concat([head, Buffer.from(imei, 'latin1'), data])
}

const CODEC_12 = 12
const COMMAND = 5
const ANSWER = 6

/**
 * A frame of codec 12 over TCP.
 * @param type 5: a command; 6: the answer of a device to one
 */
export function writeCommand(text: string, type: typeof COMMAND | typeof ANSWER = COMMAND): Buffer {
  const content = Buffer.from(text, 'latin1')
  const size = Buffer.alloc(4)
  size.writeUInt32BE(content.length)
  return framed(Buffer.concat([Buffer.of(CODEC_12, 1, type), size, content, Buffer.of(1)]))
}

function body(samples: readonly Sample[], codec: DataCodec): Buffer {
  if (samples.length < 1 || samples.length > MOST_RECORDS)
    throw new RangeError(`a frame has 1 to ${MOST_RECORDS} records, not ${samples.length}`)
  const data = new ByteWriter()
  data.integer(codec === 8 ? 0x08 : 0x8e, 1)
  data.integer(samples.length, 1)
  for (const sample of samples) writeRecord(data, sample, codec)
  data.integer(samples.length, 1)
  return data.finish()
}

function framed(data: Buffer): Buffer {
  const bytes = Buffer.alloc(FRAME_HEAD_BYTES + data.length + CHECKSUM_BYTES)
  bytes.writeUInt32BE(data.length, 4)
  data.copy(bytes, FRAME_HEAD_BYTES)
  bytes.writeUInt32BE(crc16(data, 0, data.length), FRAME_HEAD_BYTES + data.length)
  return bytes
}
