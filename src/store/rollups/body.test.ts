import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { anySample } from '../../../test/any-sample.ts'
import { deep } from '../../../test/deep.ts'
import { type EventTypeId, requiredEventType } from '../../catalogue/event-types.ts'
import { type DeviceId, eventsOf, sampleOf } from '../../model/sample.ts'
import { HOUR_MS } from '../../model/time-range.ts'
import { type StoredSample, sealedBodyOf, UnpackedBody } from '../sealed/body.ts'
import { RollupBody } from './body.ts'
import { addedSums, decimalSum, HourColumns, hourStartMs, sumText } from './hours.ts'
import { rollupOfDay } from './keep.ts'

const DEVICE = 356307042441013 as DeviceId
const DAY_MS = Date.UTC(2026, 0, 12)
const TYPES = (['ALARM_SYSTEM', 'BATTERY_VOLTAGE', 'GPS_SPEED', 'MILEAGE', 'POSITION', 'VIN'] as const).map(
  requiredEventType,
)
const SPEED = requiredEventType('GPS_SPEED').id

/** Few hours and few values, so that they share hours and are equal. */
const anyDay = fc
  .uniqueArray(
    anySample({
      deviceIds: fc.constant(DEVICE),
      timesMs: fc.oneof(
        fc.integer({ min: 0, max: 86_399_999 }).map(ms => DAY_MS + ms),
        fc.integer({ min: 0, max: 200 }).map(minute => DAY_MS + minute * 60_000),
      ),
      types: TYPES,
    }),
    { selector: ({ timeMs }) => timeMs, minLength: 1, maxLength: 60 },
  )
  .map(samples => samples.toSorted((a, b) => a.timeMs - b.timeMs).map(sample => stored(sample)))

function stored(sample: ReturnType<typeof sampleOf>): StoredSample {
  return { ...sample, storedUs: DAY_MS * 1000, layoutId: 0 }
}

interface Value {
  readonly timeMs: number
  readonly type: EventTypeId
  readonly value: number
}

function valuesOf(samples: readonly StoredSample[]): Value[] {
  return samples.flatMap(sample =>
    [...eventsOf(sample)].flatMap(([type, value]) =>
      typeof value === 'object' || typeof value === 'string'
        ? []
        : { timeMs: sample.timeMs, type, value: Number(value) },
    ),
  )
}

/** The sum by long addition: units of the smallest double that there is. */
function bruteSum(values: readonly number[]): string {
  const scale = 340
  let sum = 0n
  for (const value of values) {
    const [mantissa = '', exponent = '0'] = value.toExponential().split('e')
    const [before = '', after = ''] = mantissa.split('.')
    sum += BigInt(before + after) * 10n ** BigInt(scale - after.length + Number(exponent))
  }
  return sumText({ whole: sum, scale })
}

/** What a rollup says, worked out in the simplest way; nothing of types with a value that is no finite number. */
function bruteForce(samples: readonly StoredSample[]) {
  const groups = new Map<string, Value[]>()
  const all = valuesOf(samples)
  const odd = new Set(all.flatMap(({ type, value }) => (Number.isFinite(value) ? [] : type)))
  for (const value of all) {
    if (odd.has(value.type)) continue
    const key = `${String(value.type).padStart(4, '0')} ${hourStartMs(value.timeMs)}`
    groups.set(key, [...(groups.get(key) ?? []), value])
  }
  return [...groups]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([, group]) => {
      const values = group.map(({ value }) => value)
      const end = (value: number | undefined) => {
        const found = group.find(one => one.value === value)
        return { timeMs: found?.timeMs, value: found?.value }
      }
      const at = (one: Value | undefined) => ({ timeMs: one?.timeMs, value: one?.value })
      return {
        type: group[0]?.type,
        count: group.length,
        first: at(group[0]),
        lowest: end(Math.min(...values)),
        highest: end(Math.max(...values)),
        last: at(group.at(-1)),
        sum: bruteSum(values),
      }
    })
}

function rolled(body: RollupBody) {
  return body.types.flatMap(type =>
    (body.summedHoursOf(type) ?? []).map(hour => ({ type, ...hour, sum: sumText(hour.sum) })),
  )
}

const rollupOf = async (samples: readonly StoredSample[]) => rollupOfDay(new UnpackedBody(await sealedBodyOf(samples)))

describe('the rollup of a sealed day', () => {
  it('says of every type and hour what its samples say, whatever they hold', async () => {
    await fc.assert(
      fc.asyncProperty(anyDay, async samples => {
        expect(rolled(new RollupBody(await rollupOf(samples)))).toEqual(bruteForce(samples))
      }),
      { numRuns: deep(200) },
    )
  })

  it('has none of a type with a value that is no finite number, and all others', async () => {
    const voltage = requiredEventType('BATTERY_VOLTAGE').id
    for (const odd of [Number.NaN, Number.POSITIVE_INFINITY]) {
      const samples = [1, odd, 3].map((value, step) =>
        stored(
          sampleOf(
            DEVICE,
            DAY_MS + step,
            new Map([
              [SPEED, value],
              [voltage, 12.5],
            ]),
          ),
        ),
      )
      const body = new RollupBody(await rollupOf(samples))
      expect(body.addHours(SPEED, new HourColumns())).toBe(false)
      expect(body.summedHoursOf(SPEED)).toBeUndefined()
      expect(body.summedHoursOf(voltage)?.map(({ sum }) => sumText(sum))).toEqual(['37.5'])
    }
  })

  it('has no bytes for an hour that is like the one before', async () => {
    const types = TYPES.filter(({ dataType }) => dataType === 'NUMBER').map(({ id }) => id)
    const bodyOf = async (hours: number) => {
      const samples = Array.from({ length: hours * 6 }, (_, step) =>
        stored(sampleOf(DEVICE, DAY_MS + step * 600_000 + 60_000, new Map(types.map(type => [type, 12.5])))),
      )
      const body = await rollupOf(samples)
      expect(rolled(new RollupBody(body))).toEqual(bruteForce(samples))
      return body
    }
    expect((await bodyOf(7)).length).toBe((await bodyOf(2)).length)
  })

  it('takes a few bytes for each type of a day of driving and parking', async () => {
    const samples = Array.from({ length: 1400 }, (_, step) =>
      stored(
        sampleOf(
          DEVICE,
          DAY_MS + (step < 144 ? step * 600_000 : 8 * HOUR_MS + step * 5000 + 1000),
          new Map(TYPES.flatMap(({ id, dataType }) => (dataType === 'NUMBER' ? [[id, (step * 7919) % 90]] : []))),
        ),
      ),
    ).toSorted((a, b) => a.timeMs - b.timeMs)
    const unique = samples.filter(({ timeMs }, index) => timeMs !== samples[index - 1]?.timeMs)
    expect((await rollupOf(unique)).length).toBeLessThan(700)
  })

  it('names a version that it does not know', () => {
    expect(() => new RollupBody(Uint8Array.of(9, 0))).toThrow('a rollup of version 9, which this program does not know')
  })
})

it('a sum is exact, whatever the numbers, their order, and how they are put together', () => {
  const anyNumber = fc.oneof(
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.integer({ min: -1_800_000_000, max: 1_800_000_000 }).map(value => value / 1e7),
    fc.constantFrom(Number.MAX_VALUE, -Number.MAX_VALUE, Number.MIN_VALUE, 2 ** 51, -(2 ** 51), 2 ** 53, 0.1, -0),
  )
  fc.assert(
    fc.property(fc.array(anyNumber, { maxLength: 50 }), fc.nat(50), (values, cut) => {
      const whole = sumText(decimalSum(Float64Array.from(values)))
      expect(whole).toBe(bruteSum(values))
      expect(sumText(decimalSum(Float64Array.from(values.toReversed())))).toBe(whole)
      const parts = [values.slice(0, cut), values.slice(cut)].map(part => decimalSum(Float64Array.from(part)))
      expect(parts[0] && parts[1] && sumText(addedSums(parts[0], parts[1]))).toBe(whole)
    }),
    { numRuns: 300 },
  )
  expect(sumText(decimalSum(Float64Array.of(0.1, 0.1, 0.1)))).toBe('0.3')
  expect(sumText(decimalSum(new Float64Array(5000).fill(2 ** 51)))).toBe(String(5000n * 2n ** 51n))
})
