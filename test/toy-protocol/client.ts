import { eventsOf, type Sample } from '../../src/model/sample.ts'
import type { ProtocolClient } from '../binary-suite/client.ts'
import { checksumOf, TOY, type ToyRecord, toyAcknowledgement, toyLine } from './protocol.ts'

/** Long, so that answers which nobody takes soon become many. */
const ALIVE = 'x'.repeat(500)

const recordOf = (sample: Sample): ToyRecord => [sample.timeMs, [...eventsOf(sample)]]

/** What dongles of the toy protocol send. */
export const TOY_CLIENT: ProtocolClient = {
  protocol: TOY,
  login: {
    of: imei => toyLine('L', imei),
    accepted: imei => Buffer.from(`L ${imei}\n`),
    refused: Buffer.from('L refused\n'),
    wrong: [
      ['letters', toyLine('L', '35630704244101A')],
      ['zeros', toyLine('L', '000000000000000')],
      ['a wrong checksum', Buffer.from(`L 356307042441013 ${checksumOf('L', '356307042441014')}\n`)],
    ],
  },
  frame: {
    of: samples => toyLine('D', JSON.stringify(samples.map(recordOf))),
    damaged(frame) {
      const bytes = Buffer.from(frame)
      bytes.writeUInt8(bytes.readUInt8(12) ^ 1, 12)
      return bytes
    },
    headBytes: 2,
    begun: byteCount => Buffer.from('D '.padEnd(byteCount, '[')),
    tooLong: Buffer.from('D '.padEnd(TOY.stream.mostBytes, '[')),
    ofMessage: text => toyLine('M', text),
    messageFields: { priority: 1 },
    withUnknownId: (_, id) => toyLine('D', JSON.stringify([[Date.UTC(2026, 0, 10), [[id, 1]]]])),
  },
  acknowledgement: {
    byteCount: toyAcknowledgement(0, '00000000').length,
    recordsIn: bytes => Number(bytes.toString('latin1', 2, 5)),
  },
  keepAlive: { bytes: toyLine('K', ALIVE), answer: Buffer.from(`K ${ALIVE}\n`) },
  datagram: {
    of: (deviceId, packetId, samples) =>
      toyLine('U', `${deviceId} ${String(packetId).padStart(5, '0')} ${JSON.stringify(samples.map(recordOf))}`),
    acknowledgement: (packetId, records) => toyAcknowledgement(records, String(packetId).padStart(5, '0')),
  },
  outOfStep: Buffer.from('out of step\n'),
  complaints: { login: /login/, damaged: /checksum/, outOfStep: /none of this protocol/ },
}
