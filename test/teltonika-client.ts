import { loginPacket, writeTcpFrame } from '../lab/teltonika-dongle/write-frame.ts'
import { TELTONIKA } from '../src/gateways/teltonika/protocol.ts'
import { Dongle, type ProtocolClient } from './binary-suite/client.ts'
import { writeCommand, writeUdpPacket } from './teltonika-packets.ts'
import { frameWith, record } from './teltonika-record.ts'

/** The other side of Teltonika's protocol, as the shared suite of such protocols needs it. */
export const TELTONIKA_CLIENT: ProtocolClient = {
  protocol: TELTONIKA,
  login: {
    of: loginPacket,
    accepted: () => Buffer.of(1),
    refused: Buffer.of(0),
    wrong: [
      ['letters', loginPacket('35630704244101A')],
      ['zeros', loginPacket('000000000000000')],
      ['too few digits', loginPacket('35630704244101')],
    ],
  },
  frame: {
    of: samples => writeTcpFrame(samples),
    damaged(frame) {
      const bytes = Buffer.from(frame)
      bytes.writeUInt8(bytes.readUInt8(12) ^ 1, 12)
      return bytes
    },
    headBytes: 8,
    begun(byteCount, frameBytes) {
      const begin = Buffer.alloc(byteCount)
      begin.writeUInt32BE(frameBytes - 12, 4)
      return begin
    },
    tooLong: Buffer.from('0000000000100000', 'hex'),
    ofMessage: text => writeCommand(text, 6),
    messageFields: { codec: 12, type: 6 },
    withUnknownId: (_, id) => frameWith(record({ [id]: '01' })),
  },
  acknowledgement: { byteCount: 4, recordsIn: bytes => bytes.readUInt32BE() },
  keepAlive: { bytes: Buffer.of(0xff), answer: Buffer.alloc(0) },
  datagram: {
    of: (deviceId, packetId, samples) =>
      writeUdpPacket({ imei: String(deviceId), packetId, avlPacketId: packetId % 256 }, samples),
    acknowledgement: (packetId, records) =>
      Buffer.of(0, 5, packetId >> 8, packetId & 0xff, 1, packetId & 0xff, records),
  },
  outOfStep: Buffer.from('out of step'),
  complaints: { login: /login/, damaged: /checksum/, outOfStep: /zero bytes/ },
}

/** A dongle of Teltonika that has logged in. @throws when the login is refused. */
export const logInTeltonika = (port: number, imei: string): Promise<Dongle> =>
  Dongle.logIn(TELTONIKA_CLIENT, port, imei)
