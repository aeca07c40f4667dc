import type { BinaryProtocol, ReportedFrame } from '../shared/binary/protocol.ts'
import {
  type CodecFrame,
  LOGIN_REFUSED,
  readTcpFrame,
  readTcpPacket,
  readUdpPacket,
  tcpAcknowledgement,
  tcpPacketBytes,
  udpAcknowledgement,
} from './frames.ts'

/** Teltonika's protocol over TCP and UDP. */
export const TELTONIKA: BinaryProtocol = {
  name: 'teltonika',
  unknownIds: {
    metric: 'tacho_teltonika_unknown_avl_ids_total',
    help: 'Elements of records that no event type of the catalogue holds, by AVL id.',
  },
  stream: {
    // Dongles send at most 1280 bytes at once; the format allows 255 records with long texts.
    mostBytes: 64 * 1024,
    lengthOf: tcpPacketBytes,
    readPacket: readTcpPacket,
    readFrame: (bytes, device) => answered(readTcpFrame(bytes, device), tcpAcknowledgement),
    loginRefused: LOGIN_REFUSED,
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
