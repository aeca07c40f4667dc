import { existsSync, readFileSync } from 'node:fs'
import { afterAll, describe, expect, it } from 'vitest'
import { loginPacket } from '../../../lab/teltonika-dongle/write-frame.ts'
import { startGateway } from '../../../test/binary-gateway.ts'
import { createTestDatabase } from '../../../test/database.ts'
import { sendDatagram } from '../../../test/dongle-socket.ts'
import { logInTeltonika } from '../../../test/teltonika-client.ts'
import { eventsByName } from '../../../test/teltonika-record.ts'
import type { DeviceId } from '../../model/sample.ts'
import { StreamPackets } from '../shared/binary/stream-packets.ts'
import { type CodecFrame, readTcpFrame, readUdpPacket, TELTONIKA } from './protocol.ts'

const FILE = '../shared/data/teltonika/frames_sample.jsonl'

/** A frame as some device sent it, or as some other project's test has it. */
interface Captured {
  readonly id: string
  readonly hex: string
  /** Texts that are no bytes (an odd number of digits, for example) are of no concern to us. */
  readonly kind: 'data' | 'imei_login' | 'imei_login_invalid' | 'other' | 'text_input_not_hex'
  readonly transport: 'tcp' | 'udp' | null
  readonly codec: string | null
  readonly intact: boolean
  readonly imei?: string
  readonly check?: { readonly imei?: string }
  /** What the tests of its source say of it. */
  readonly expected: readonly { readonly must_fail?: boolean; readonly text?: string; readonly imei?: string }[]
  /** What an independent program read. */
  readonly decoded_by_checker: {
    readonly records?: readonly CheckedRecord[]
    readonly messages?: readonly { readonly type: number; readonly text?: string }[]
  }
}

interface CheckedRecord {
  readonly ts_ms: number
  readonly lon: number
  readonly lat: number
  readonly alt: number
  readonly angle: number
  readonly sats: number
  readonly speed: number
  readonly io: Readonly<Record<string, string>>
}

const captured: readonly Captured[] = existsSync(FILE)
  ? readFileSync(FILE, 'utf8')
      .trim()
      .split('\n')
      .map(line => JSON.parse(line) as Captured)
  : []
/** Codec 7 is of devices long gone, and is refused with its name. */
const isOfOurs = ({ kind, intact, codec }: Captured) => kind === 'data' && intact && !codec?.startsWith('7')
const named = (frames: readonly Captured[]) =>
  frames.map(frame => [`${frame.id}, codec ${frame.codec}`, frame] as const)

const DEVICE = { deviceId: 352093086403655 as DeviceId, hardwareType: '' }

/** Reads what was captured on the way that bytes go from a socket. */
function read({ hex, transport }: Captured): CodecFrame {
  const bytes = Buffer.from(hex, 'hex')
  if (transport === 'udp') {
    const packet = readUdpPacket(bytes)
    return packet.kind === 'data' ? packet.read(DEVICE) : packet
  }
  const packets = new StreamPackets(TELTONIKA.stream).push(Buffer.concat([loginPacket('352093086403655'), bytes]))
  const [, first] = packets
  if (first?.kind === 'frame' && packets.length === 2) return readTcpFrame(first.bytes, DEVICE)
  return { kind: 'broken', why: first?.kind === 'broken' ? first.why : 'no whole frame' }
}

describe('captured frames', () => {
  const ofData = captured.filter(frame => isOfOurs(frame) && frame.decoded_by_checker.records)
  const ofMessages = captured.filter(frame => isOfOurs(frame) && frame.decoded_by_checker.messages)

  it.skipIf(captured.length === 0)('are there (skipped where there is no ../shared/data/teltonika)', () => {
    expect(ofData.length).toBeGreaterThan(0)
    expect(ofMessages.length).toBeGreaterThan(0)
  })

  it.each(named(ofData))('%s: is read as others read it', (_, frame) => {
    const found = read(frame)
    if (found.kind !== 'data') throw new Error(JSON.stringify(found))
    const records = frame.decoded_by_checker.records ?? []
    expect(found.records).toBe(records.length)
    expect(found.samples.map(({ timeMs }) => timeMs)).toEqual(records.map(({ ts_ms }) => ts_ms))
    found.samples.forEach((sample, index) => {
      const record = records[index]
      const events = new Map(eventsByName(sample))
      expect(Object.fromEntries(events)).toMatchObject(record ? plainEvents(record) : {})
      expect(events.has('POSITION')).toBe(record && hasFix(record))
    })
  })

  it.each(named(ofMessages))('%s: has the messages that others read', (_, frame) => {
    const texts = frame.expected.flatMap(({ text }) => text ?? [])
    expect(read(frame)).toMatchObject({ kind: 'messages', messages: frame.decoded_by_checker.messages?.map(textual) })
    for (const text of texts) expect(read(frame)).toMatchObject({ messages: [{ text }] })
  })

  it.each(named(captured.filter(({ kind, intact }) => kind === 'data' && !intact)))('%s: is refused', (_, frame) => {
    expect(read(frame)).toMatchObject({ kind: 'broken' })
  })

  it.each(named(captured.filter(({ kind, codec }) => kind === 'data' && codec?.startsWith('7'))))(
    '%s: is refused, also where it is intact',
    (_, frame) => {
      expect(read(frame)).toMatchObject({ kind: 'broken' })
    },
  )

  it.each(named(captured.filter(({ kind }) => kind === 'other')))('%s: is no frame', (_, frame) => {
    expect(read(frame)).toMatchObject({ kind: 'broken' })
  })

  it.each(named(captured.filter(({ kind }) => kind.startsWith('imei_login'))))(
    '%s: is a login, or none',
    (_, frame) => {
      const packets = new StreamPackets(TELTONIKA.stream).push(Buffer.from(frame.hex, 'hex'))
      const accepted = packets.flatMap(packet => (packet.kind === 'login' ? packet.imei : []))
      expect(accepted).toEqual(frame.kind === 'imei_login' ? [frame.imei] : [])
    },
  )

  it.each(named(captured.filter(frame => frame.transport === 'udp' && isOfOurs(frame))))(
    '%s: has its IMEI',
    (_, frame) => {
      const imeis = frame.expected.flatMap(({ imei }) => imei ?? [])
      const packet = readUdpPacket(Buffer.from(frame.hex, 'hex'))
      for (const imei of imeis) expect(packet).toMatchObject({ imei })
      expect(packet.kind).toBe('data')
    },
  )
})

const textual = ({ type, text }: { readonly type: number; readonly text?: string }) =>
  text === undefined ? { type } : { type, text }

/** What a record surely says: its position, and elements that every model has in common. */
function plainEvents(record: CheckedRecord): Record<string, unknown> {
  const { sats, lon, lat, alt, angle, speed, io } = record
  const flag = (id: number, name: string) => (io[id] === undefined ? {} : { [name]: Number.parseInt(io[id], 16) === 1 })
  const volts = io[66] === undefined ? undefined : Number.parseInt(io[66], 16) / 1000
  const metres = io[16] === undefined ? undefined : Number.parseInt(io[16], 16)
  return {
    GPS_SATELLITES_IN_USE: sats,
    ...(hasFix(record) ? { POSITION: { lon, lat }, GPS_ALTITUDE: alt, GPS_COURSE: angle, GPS_SPEED: speed } : {}),
    ...flag(239, 'IS_IGNITION_ON'),
    ...flag(240, 'IS_MOVING'),
    ...(volts !== undefined && volts >= 1 ? { BATTERY_VOLTAGE: volts } : {}),
    ...(metres !== undefined && metres < 2 ** 31 ? { MILEAGE: metres / 1000 } : {}),
  }
}

function hasFix({ sats, lon, lat }: CheckedRecord): boolean {
  return sats > 0 && (lon !== 0 || lat !== 0)
}

/** Of records, not of messages; codec 7 is refused. */
const isAcknowledged = ({ codec, intact }: Captured) => intact && ['8', '8E', '16'].includes(codec ?? '')
const isHex = ({ hex }: Captured) => /^([0-9a-f]{2})+$/i.test(hex)
const over = (transport: 'tcp' | 'udp') => captured.filter(frame => frame.transport === transport && isHex(frame))

const database = await createTestDatabase()
const test = await startGateway(TELTONIKA, database.url)
afterAll(async () => {
  await test.stop()
  await database.drop()
})

// Its name says why it is skipped: the folder with what others captured is not part of the project.
it.skipIf(captured.length === 0)(`frames of ${FILE} over TCP are answered by what is intact of them`, async () => {
  const answers = await Promise.all(
    over('tcp').map(async ({ id, hex }, index) => {
      const dongle = await logInTeltonika(test.port, String(351_000_000_000_000 + index))
      dongle.socket.end(Buffer.from(hex, 'hex'))
      await dongle.ended
      const answer = dongle.unread > 0 ? (await dongle.answer(dongle.unread)).toString('hex') : ''
      await dongle.close()
      return [id, answer]
    }),
  )
  expect(answers).toEqual(
    over('tcp').map(frame => {
      const records = frame.decoded_by_checker?.records?.length ?? 0
      return [frame.id, isAcknowledged(frame) ? records.toString(16).padStart(8, '0') : '']
    }),
  )
})

it.skipIf(captured.length === 0)(`frames of ${FILE} over UDP are answered by what is intact of them`, async () => {
  const answers = await Promise.all(
    over('udp').map(async frame => {
      // An answer that must not come is waited for not as long.
      const answer = await sendDatagram(
        test.port,
        Buffer.from(frame.hex, 'hex'),
        isAcknowledged(frame) ? undefined : 2000,
      )
      return [frame.id, answer?.readUInt8(6)]
    }),
  )
  expect(answers).toEqual(
    over('udp').map(frame => [frame.id, isAcknowledged(frame) ? frame.decoded_by_checker?.records?.length : undefined]),
  )
})
