import { type EventTypeId, type EventTypeName, requiredEventType } from '../../src/catalogue/event-types.ts'
import type { ReportingDevice } from '../../src/gateways/shared/binary/protocol.ts'
import { readTcpFrame } from '../../src/gateways/teltonika/protocol.ts'
import { type DeviceId, type EventValue, type Sample, sampleOf } from '../../src/model/sample.ts'
import { writeTcpFrame } from '../teltonika-dongle/write-frame.ts'
import { type BenchResult, median } from './result.ts'

const DONGLES = 200
const FRAMES_EACH = 10
const RECORDS_EACH = 10
const ROUNDS = 9
const START_MS = Date.UTC(2026, 0, 12)

interface Sent {
  readonly device: ReportingDevice
  readonly frame: Buffer
}

/** Bytes of frames to samples, without socket and database, on one core. */
export function benchTeltonikaDecode(): BenchResult[] {
  const sent = framesOfFleet()
  const bytes = sent.reduce((sum, { frame }) => sum + frame.length, 0)
  const values = DONGLES * FRAMES_EACH * RECORDS_EACH * VALUES_EACH
  const decoding: number[] = []
  const reading: number[] = []
  for (let round = 0; round < ROUNDS; round++) {
    decoding.push(secondsOf(() => decodedValues(sent), values))
    reading.push(secondsOf(() => sumOf(sent)))
  }
  const seconds = median(decoding)
  const perSecond = values / seconds
  const measured = `${(perSecond / 1e6).toFixed(1)} million values/s, ${(bytes / seconds / 1e6).toFixed(0)} MB/s of frames with ${RECORDS_EACH} records, ${VALUES_EACH} values each`
  return [
    {
      name: 'Teltonika, decoding alone',
      measured,
      against: '3 million values/s',
      ratio: perSecond / 3e6,
      target: { atLeast: 1 },
    },
    {
      name: 'Teltonika, decoding beside reading',
      measured,
      against: `looking at each of the same bytes once, ${(bytes / median(reading) / 1e6).toFixed(0)} MB/s`,
      ratio: median(reading) / seconds,
      target: { atLeast: 0.05 },
    },
  ]
}

function framesOfFleet(): Sent[] {
  return Array.from({ length: DONGLES * FRAMES_EACH }, (_, index) => {
    const deviceId = dongleAt(index % DONGLES)
    const samples = Array.from({ length: RECORDS_EACH }, (__, record) =>
      drivingSample(deviceId, START_MS, index * 31 + record),
    )
    return { device: { deviceId, hardwareType: 'FMB003' }, frame: writeTcpFrame(samples) }
  })
}

function decodedValues(sent: readonly Sent[]): number {
  let values = 0
  for (const { frame, device } of sent) {
    const read = readTcpFrame(frame, device)
    if (read.kind !== 'data') throw new Error('a frame was not read')
    for (const { types } of read.samples) values += types.length
  }
  return values
}

/** The least work that reading frames takes. */
function sumOf(sent: readonly Sent[]): number {
  let sum = 0
  for (const { frame } of sent) for (let at = 0; at < frame.length; at++) sum += frame[at] ?? 0
  return sum
}

/** Of the processor, so that what else runs on the machine does not count. @param expected what the work must return */
function secondsOf(work: () => number, expected?: number): number {
  const before = process.cpuUsage()
  const result = work()
  const { user, system } = process.cpuUsage(before)
  if (expected !== undefined && result !== expected) throw new Error(`${result} values were read, not ${expected}`)
  return (user + system) / 1e6
}

/** What a dongle on a drive reports every few seconds: its permanent elements, and those of the car. */
const DRIVING: readonly (readonly [eventType: EventTypeName, valueAt: (step: number) => EventValue])[] = [
  ['POSITION', step => ({ lon: 11.5 + (step % 7919) / 1e5, lat: 48.1 + (step % 6311) / 1e5 })],
  ['GPS_ALTITUDE', step => 500 + (step % 40)],
  ['GPS_COURSE', step => step % 360],
  ['GPS_SATELLITES_IN_USE', step => 9 + (step % 6)],
  ['GPS_SPEED', step => 30 + (step % 90)],
  ['GPS_HDOP', step => (7 + (step % 6)) / 10],
  ['IS_IGNITION_ON', () => true],
  ['IS_MOVING', () => true],
  ['IS_GPS_SWITCH_ON', () => true],
  ['IS_DONGLE_IN_STANDBY', () => false],
  ['MILEAGE', step => 48_211 + step / 10],
  ['BATTERY_VOLTAGE', step => 13.9 + (step % 90) / 1000],
  ['NETWORK_CELL_INFO', step => `262;01;4711;${100 + Math.floor(step / 40)}`],
  ['OBD_DTC_COUNT', () => 0],
  ['ENGINE_LOAD_AVERAGE', step => step % 100],
  ['ENGINE_COOLANT_TEMPERATURE', step => 80 + (step % 12)],
  ['ENGINE_RPM_AVERAGE', step => 900 + (step % 2500)],
  ['VEHICLE_SPEED_AVERAGE', step => 30 + (step % 91)],
  ['THROTTLE_POSITION_AVERAGE', step => step % 90],
  ['FUEL_LEVEL_PERCENT', step => 100 - (step % 60)],
  ['FUEL_RATE_AVERAGE', step => (step % 1500) / 100],
  ['AMBIENT_AIR_TEMPERATURE', step => (step % 30) - 8],
]

const TYPES: readonly (readonly [EventTypeId, (step: number) => EventValue])[] = DRIVING.map(([name, valueAt]) => [
  requiredEventType(name).id,
  valueAt,
])

/** How many values a record holds. */
export const VALUES_EACH = DRIVING.length

/** The dongle of a connection. */
export function dongleAt(index: number): DeviceId {
  return (356_307_042_441_000 + index) as DeviceId
}

/** One record of a drive; a step is a second. */
export function drivingSample(deviceId: DeviceId, startMs: number, step: number): Sample {
  return sampleOf(deviceId, startMs + step * 1000, new Map(TYPES.map(([type, valueAt]) => [type, valueAt(step)])))
}
