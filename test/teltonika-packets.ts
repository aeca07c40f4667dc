import { type DataCodec, framed, recordsOf } from '../lab/teltonika-dongle/write-frame.ts'
import type { Sample } from '../src/model/sample.ts'

/** The records of `writeTcpFrame` as a packet over UDP. */
export function writeUdpPacket(
  { imei, packetId, avlPacketId }: { readonly imei: string; readonly packetId: number; readonly avlPacketId: number },
  samples: readonly Sample[],
  codec: DataCodec = '8E',
): Buffer {
  const data = recordsOf(samples, codec)
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

/** A frame of codec 12 over TCP. */
export function writeCommand(text: string, type: typeof COMMAND | typeof ANSWER = COMMAND): Buffer {
  const content = Buffer.from(text, 'latin1')
  const size = Buffer.alloc(4)
  size.writeUInt32BE(content.length)
  return framed(Buffer.concat([Buffer.of(CODEC_12, 1, type), size, content, Buffer.of(1)]))
}
