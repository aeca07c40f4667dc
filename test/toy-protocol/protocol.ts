import { crc32 } from 'node:zlib'
import type { EventTypeId } from '../../src/catalogue/event-types.ts'
import type {
  BinaryProtocol,
  Broken,
  Datagram,
  ReportedFrame,
  StreamPacket,
} from '../../src/gateways/shared/binary/protocol.ts'
import { type DeviceId, type EventValue, sampleOf } from '../../src/model/sample.ts'

/*
 * A protocol that nobody speaks, to show what a protocol needs to be. It is unlike Teltonika's where it can: packets are lines,
 * `<kind> <what it says> <checksum>`, so none says how long it is; and each answer repeats something of what it answers.
 *
 *   kind   says                      answered by
 *   L      IMEI                      L <IMEI> or L refused
 *   D      records, as JSON          A <count of records> <checksum of the line>
 *   M      text                      nothing
 *   K      anything                  K <the same>
 *   U      <IMEI> <packet> <records> A <count of records> <packet>; only in datagrams
 */

/** One record: when it was measured, and each value by the id of its event type. */
export type ToyRecord = readonly [timeMs: number, values: readonly (readonly [id: number, value: EventValue])[]]

const LINE_FEED = 0x0a
/** Event types have small ids; greater ones have no meaning here. */
const MOST_EVENT_TYPES = 1000

export function toyLine(kind: string, says: string): Buffer {
  return Buffer.from(`${kind} ${says} ${checksumOf(kind, says)}\n`, 'latin1')
}

export function checksumOf(kind: string, says: string): string {
  return crc32(Buffer.from(`${kind} ${says}`, 'latin1'))
    .toString(16)
    .padStart(8, '0')
}

export function toyAcknowledgement(records: number, of: string): Buffer {
  return Buffer.from(`A ${String(records).padStart(3, '0')} ${of}\n`, 'latin1')
}

export const TOY: BinaryProtocol = {
  name: 'toy',
  unknownIds: { metric: 'tacho_toy_unknown_ids_total', help: 'Values without an event type, by id.' },
  stream: {
    mostBytes: 64 * 1024,
    lengthOf(begin) {
      const at = begin.indexOf(LINE_FEED)
      return at < 0 ? undefined : at + 1
    },
    readPacket(bytes, isLoggedIn): StreamPacket | Broken {
      const { kind, says, isWhole } = partsOf(bytes)
      // Damaged or not: that is found when it is read.
      if (isLoggedIn && (kind === 'D' || kind === 'M')) return { kind: 'frame', bytes }
      if (!isWhole) return broken(isLoggedIn ? 'The line is none of this protocol.' : 'The line is no login.')
      if (kind === 'L') return { kind: 'login', imei: says, accepted: Buffer.from(`L ${says}\n`) }
      return kind === 'K'
        ? { kind: 'keep-alive', answer: Buffer.from(`K ${says}\n`, 'latin1') }
        : broken(`There are no lines ${kind}.`)
    },
    readFrame(bytes, { deviceId }) {
      const { kind, says, checksum, isWhole } = partsOf(bytes)
      if (!isWhole) return broken('The checksum of the line is wrong.')
      if (kind === 'M') return { kind: 'messages', messages: [{ fields: { priority: 1 }, text: says }] }
      return readRecords(says, deviceId, count => toyAcknowledgement(count, checksum))
    },
    loginRefused: Buffer.from('L refused\n'),
  },
  readDatagram(bytes): Datagram {
    const { kind, says, isWhole } = partsOf(bytes)
    const [, imei, packetId = '', records = ''] = /^(\d{15}) (\d{5}) (.*)$/.exec(says) ?? []
    if (!isWhole || kind !== 'U' || imei === undefined) return broken('The datagram is damaged.')
    return {
      kind: 'frame',
      imei,
      read: ({ deviceId }) => readRecords(records, deviceId, count => toyAcknowledgement(count, packetId)),
    }
  },
}

function partsOf(bytes: Buffer) {
  const [, kind = '', says = '', checksum = ''] = /^(.) (.*) (.{8})\n$/.exec(bytes.toString('latin1')) ?? []
  return { kind: kind || bytes.toString('latin1', 0, 1), says, checksum, isWhole: checksum === checksumOf(kind, says) }
}

function readRecords(says: string, deviceId: DeviceId, acknowledgement: (records: number) => Buffer): ReportedFrame {
  // A right checksum says that a dongle wrote it, so it is what dongles write.
  const records = JSON.parse(says) as readonly ToyRecord[]
  const unknownIds = new Map<number, number>()
  const samples = records.flatMap(([timeMs, values]) => {
    const events = new Map<EventTypeId, EventValue>()
    for (const [id, value] of values)
      if (id < MOST_EVENT_TYPES) events.set(id as EventTypeId, value)
      else unknownIds.set(id, (unknownIds.get(id) ?? 0) + 1)
    return events.size === 0 ? [] : [sampleOf(deviceId, timeMs, events)]
  })
  return { kind: 'data', samples, unknownIds, acknowledgement: acknowledgement(records.length) }
}

function broken(why: string): Broken {
  return { kind: 'broken', why }
}
