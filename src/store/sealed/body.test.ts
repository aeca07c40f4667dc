import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { generateVedShape } from '../../../lab/bench/made-samples.ts'
import { anySample } from '../../../test/any-sample.ts'
import { deep } from '../../../test/deep.ts'
import { requiredEventType } from '../../catalogue/event-types.ts'
import { type DeviceId, sampleOf } from '../../model/sample.ts'
import { type StoredSample, samplesOfBody, sealedBodyOf, UnpackedBody } from './body.ts'
import { ByteReader, ByteWriter, decimalsOf } from './bytes.ts'
import { readNumbers, writeNumbers } from './columns.ts'

const DEVICE = 356307042441013 as DeviceId
const DAY_MS = Date.UTC(2026, 0, 12)

/** Any samples of a device and day, some of which describe themselves. */
const anyDay: fc.Arbitrary<StoredSample[]> = fc
  .uniqueArray(
    fc.tuple(
      anySample({
        deviceIds: fc.constant(DEVICE),
        timesMs: fc.integer({ min: DAY_MS, max: DAY_MS + 86_399_999 }),
      }),
      fc.integer({ min: Date.UTC(1990, 0, 1) * 1000, max: Date.UTC(2100, 0, 1) * 1000 }),
      fc.boolean(),
    ),
    { selector: ([{ timeMs }]) => timeMs, minLength: 1, maxLength: 30 },
  )
  .map(rows => {
    const ids = new Map<string, number>()
    return rows
      .map(([sample, storedUs, isOwn]) => {
        const key = sample.types.join()
        ids.set(key, ids.get(key) ?? ids.size + 1)
        return { ...sample, storedUs, layoutId: isOwn ? 0 : (ids.get(key) ?? 0) }
      })
      .sort((a, b) => a.timeMs - b.timeMs)
  })

const anyDouble = fc.oneof(
  fc.double(),
  fc.constantFrom(0, -0, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 51, 2 ** 51 + 2, 2 ** 53, -(2 ** 53), 1e22, 5e-324),
  fc.integer({ min: -3, max: 3 }),
  fc.integer({ min: -1_800_000_000, max: 1_800_000_000 }).map(value => value / 1e7),
)

function written(values: readonly number[]): Uint8Array {
  const into = new ByteWriter()
  writeNumbers(into, Float64Array.from(values))
  return into.written()
}

const bits = (values: Iterable<number>) => Array.from(new BigUint64Array(Float64Array.from(values).buffer))

describe('a column of numbers', () => {
  it('reads back equal to the bit, whatever it holds', () => {
    fc.assert(
      fc.property(fc.array(anyDouble, { maxLength: 400 }), values => {
        expect(bits(readNumbers(new ByteReader(written(values)), values.length))).toEqual(bits(values))
      }),
      { numRuns: deep(200) },
    )
  })

  it('reads back equal where values repeat, move in steps, or count up', () => {
    const step = fc.record({ by: anyDouble, times: fc.integer({ min: 1, max: 300 }) })
    fc.assert(
      fc.property(fc.array(step, { maxLength: 8 }), fc.boolean(), (steps, isSum) => {
        let sum = 0
        const values = steps.flatMap(({ by, times }) => Array.from({ length: times }, () => (isSum ? (sum += by) : by)))
        expect(bits(readNumbers(new ByteReader(written(values)), values.length))).toEqual(bits(values))
      }),
    )
  })

  it('takes decimals as whole numbers, and nothing that would come back otherwise', () => {
    expect(decimalsOf(Float64Array.of(12.5, 0.25, -3))).toEqual({ scale: 2, wholes: Float64Array.of(1250, 25, -300) })
    expect(decimalsOf(Float64Array.of(-0))).toBeUndefined()
    expect(decimalsOf(Float64Array.of(1 / 3))).toBeUndefined()
  })

  it('takes a few bytes for an hour of one value, and for a steady cadence', () => {
    const seconds = Array.from({ length: 3600 }, (_, index) => index)
    expect(written(seconds.map(() => 14.25)).length).toBeLessThan(10)
    expect(written(seconds.map(second => DAY_MS + second * 1000)).length).toBeLessThan(40)
  })
})

describe('a sealed day', () => {
  it('reads back equal: any values, texts, revisions, layouts and none', async () => {
    await fc.assert(
      fc.asyncProperty(anyDay, async samples => {
        expect(samplesOfBody(DEVICE, await sealedBodyOf(samples))).toEqual(samples)
      }),
      { numRuns: deep(100) },
    )
  })

  it('gives the part of it that was asked for', async () => {
    const time = fc.integer({ min: DAY_MS - 1, max: DAY_MS + 86_400_000 })
    await fc.assert(
      fc.asyncProperty(anyDay, time, time, async (samples, fromMs, toMs) => {
        const part = samples.filter(({ timeMs }) => timeMs >= fromMs && timeMs < toMs)
        expect(samplesOfBody(DEVICE, await sealedBodyOf(samples), { fromMs, toMs })).toEqual(part)
      }),
    )
  })

  it('gives single values, in any order, also of columns that few samples have', async () => {
    await fc.assert(
      fc.asyncProperty(anyDay, fc.infiniteStream(fc.nat()), async (samples, picks) => {
        const body = new UnpackedBody(await sealedBodyOf(samples))
        for (const pick of picks.take(20)) {
          const place = pick % samples.length
          const sample = samples[place]
          expect(body.timeMsAt(place)).toBe(sample?.timeMs)
          const indexes = [...(sample?.numbers.keys() ?? [])].toReversed()
          expect(indexes.map(index => body.numberAt(place, index))).toEqual(sample?.numbers.toReversed())
          expect(body.numbersAt(place)).toEqual(sample?.numbers)
          expect(body.textsAt(place)).toEqual(sample?.texts)
        }
      }),
    )
  })

  it('needs no column but those that are asked for', async () => {
    const speed = requiredEventType('GPS_SPEED').id
    const mileage = requiredEventType('MILEAGE').id
    const samples = Array.from({ length: 50 }, (_, step) => ({
      ...sampleOf(
        DEVICE,
        DAY_MS + step * 1000,
        new Map([
          [speed, step],
          [mileage, Math.sin(step)],
        ]),
      ),
      storedUs: 0,
      layoutId: 1,
    }))
    const body = await sealedBodyOf(samples)
    const later = Math.max(speed, mileage)
    // The column of the greater type stands last, and is broken.
    body.fill(255, body.length - 3)
    const unpacked = new UnpackedBody(body)
    const index = later === mileage ? 0 : 1
    expect(samples.map((_, place) => unpacked.numberAt(place, index))).toEqual(
      samples.map(({ numbers }) => numbers[index]),
    )
  })

  it('names a version that it does not know, and never mistakes garbage for samples without saying so', async () => {
    const body = await sealedBodyOf([{ ...sampleOf(DEVICE, DAY_MS, new Map()), storedUs: 0, layoutId: 1 }])
    body[0] = 9
    expect(() => samplesOfBody(DEVICE, body)).toThrow('a sealed day of version 9, which this program does not know')
    expect(() => samplesOfBody(DEVICE, body.subarray(0, 0))).toThrow(RangeError)
  })

  it('takes less than two bytes a value of recordings like those of real cars', async () => {
    const days = new Map<string, StoredSample[]>()
    let events = 0
    for (const sample of generateVedShape({ vehicles: 10, samples: 20_000, seed: 3 })) {
      const key = `${sample.deviceId} ${Math.floor(sample.timeMs / 86_400_000)}`
      const day = days.get(key) ?? []
      days.set(key, day)
      day.push({ ...sample, storedUs: (sample.timeMs + 3000) * 1000, layoutId: sample.types.length })
      events += sample.types.length
    }
    let bytes = 0
    for (const day of days.values()) bytes += (await sealedBodyOf(day)).length
    expect(bytes / events).toBeLessThan(2)
  })
})
