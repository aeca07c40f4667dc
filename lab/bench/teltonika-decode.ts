import type { ReportingDevice } from '../../src/gateways/shared/binary/protocol.ts'
import { readTcpFrame } from '../../src/gateways/teltonika/codec/frame.ts'
import { writeTcpFrame } from '../teltonika-dongle/write-frame.ts'
import { type BenchResult, median } from './result.ts'
import { dongleAt, drivingSample, VALUES_EACH } from './teltonika-drive.ts'

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
