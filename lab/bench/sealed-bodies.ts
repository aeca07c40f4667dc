import { fileURLToPath } from 'node:url'
import type { DeviceId } from '../../src/model/sample.ts'
import { type StoredSample, samplesOfBody, sealedBodyOf } from '../../src/store/index.ts'
import { recordedDay } from './recorded-days.ts'
import type { BenchResult } from './result.ts'
import { printResults } from './result.ts'
import { generateVedShape } from './ved-shape.ts'

const DAY_MS = 86_400_000
const HOUR_MS = 3_600_000
const MONDAY_MS = Date.UTC(2026, 0, 12)

/** Bytes a value takes in sealed days of three kinds of recordings, without row and index. */
export async function benchSealedBodies(): Promise<BenchResult[]> {
  return [
    await measured('like recordings of real cars', vedShapedDays(), 2),
    await measured(
      'records of 20 values, 5 s on a drive',
      Array.from({ length: 10 }, (_, index) =>
        recordedDay({
          deviceId: (index + 1) as DeviceId,
          dayMs: MONDAY_MS,
          drivingMs: 5000,
          parkedMs: 600_000,
          drives: [{ fromMs: 6 * HOUR_MS, toMs: 14 * HOUR_MS }],
          packet: 1,
          seed: index,
        }),
      ),
      1.5,
    ),
    await measured(
      '20 values each second, parked and driven',
      Array.from({ length: 5 }, (_, index) =>
        recordedDay({
          deviceId: 1 as DeviceId,
          dayMs: MONDAY_MS + index * DAY_MS,
          drivingMs: 1000,
          parkedMs: 1000,
          drives: [7, 12, 17].map(hour => ({ fromMs: hour * HOUR_MS, toMs: (hour + 0.8) * HOUR_MS })),
          packet: 10,
          seed: index,
        }),
      ),
      1,
    ),
  ]
}

function vedShapedDays(): StoredSample[][] {
  const days = new Map<string, StoredSample[]>()
  for (const sample of generateVedShape({ vehicles: 133, samples: 322_263, seed: 1 })) {
    const key = `${sample.deviceId} ${Math.floor(sample.timeMs / DAY_MS)}`
    const day = days.get(key) ?? []
    days.set(key, day)
    // A replay stores a thousand samples at a time.
    const storedUs = (MONDAY_MS + Math.floor(day.length / 8) * 14) * 1000
    day.push({ ...sample, storedUs, layoutId: sample.types.length })
  }
  return [...days.values()]
}

async function measured(name: string, days: readonly (readonly StoredSample[])[], limit: number): Promise<BenchResult> {
  const startedMs = performance.now()
  const bodies: Buffer[] = []
  for (const day of days) bodies.push(await sealedBodyOf(day))
  const encodedMs = performance.now()
  let samples = 0
  for (const [index, body] of bodies.entries())
    samples += samplesOfBody(days[index]?.[0]?.deviceId ?? (1 as DeviceId), body).length
  const decodedMs = performance.now()
  const bytes = bodies.reduce((sum, body) => sum + body.length, 0)
  const values = days.flat().reduce((sum, { types }) => sum + types.length, 0)
  const [encodeUs, decodeUs] = [encodedMs - startedMs, decodedMs - encodedMs].map(ms => (ms * 1000) / samples)
  return {
    name: `Sealed, ${name}`,
    measured: `${(bytes / values).toFixed(2)} B a value, ${values} values of ${samples} samples; ${encodeUs?.toFixed(1)} µs to encode a sample, ${decodeUs?.toFixed(1)} to decode`,
    against: `${limit} B a value`,
    ratio: bytes / values / limit,
    target: { atMost: 1 },
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) printResults(await benchSealedBodies())
