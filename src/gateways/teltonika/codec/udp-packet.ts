import type { ReportingDevice } from '../../shared/binary/protocol.ts'
import { type Frame, readBody } from './frame.ts'
import { IMEI_DIGITS } from './sizes.ts'

/** A datagram of a device. */
type UdpPacket =
  | {
      readonly kind: 'data'
      readonly packetId: number
      readonly avlPacketId: number
      readonly imei: string
      readonly read: (device: ReportingDevice) => Frame
    }
  | { readonly kind: 'broken'; readonly why: string }

const LENGTH_BYTES = 2
/** Length (2), id of the packet (2), a byte without meaning, id of the AVL packet (1), length of the IMEI (2). */
const IMEI_AT = 8
const DATA_AT = IMEI_AT + IMEI_DIGITS

/** Reads the header of a datagram; the content is read when its device is known. */
export function readUdpPacket(bytes: Buffer): UdpPacket {
  if (bytes.length < DATA_AT) return broken(`${bytes.length} bytes are too few`)
  const declared = bytes.readUInt16BE(0)
  if (declared !== bytes.length - LENGTH_BYTES)
    return broken(`it says that ${declared} bytes follow, and ${bytes.length - LENGTH_BYTES} do`)
  const digits = bytes.readUInt16BE(IMEI_AT - LENGTH_BYTES)
  const imei = bytes.toString('latin1', IMEI_AT, DATA_AT)
  if (digits !== IMEI_DIGITS || !/^\d+$/.test(imei)) return broken('it does not begin with the digits of an IMEI')
  return {
    kind: 'data',
    packetId: bytes.readUInt16BE(2),
    avlPacketId: bytes.readUInt8(5),
    imei,
    read: device => readBody(bytes, DATA_AT, bytes.length, device),
  }
}

/** The UDP acknowledgement: the packet id and the number of stored records. */
export function udpAcknowledgement(
  { packetId, avlPacketId }: { readonly packetId: number; readonly avlPacketId: number },
  records: number,
): Buffer {
  const bytes = Buffer.alloc(7)
  bytes.writeUInt16BE(bytes.length - LENGTH_BYTES, 0)
  bytes.writeUInt16BE(packetId, 2)
  bytes.writeUInt8(1, 4)
  bytes.writeUInt8(avlPacketId, 5)
  bytes.writeUInt8(records, 6)
  return bytes
}

function broken(why: string): UdpPacket {
  return { kind: 'broken', why: `The packet is refused: ${why}.` }
}
