import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { deep } from '../../../test/deep.ts'
import { makeSampleStore, type SampleStore, storeSealed } from '../../../test/sample-store.ts'
import { sampleWith } from '../../../test/sample-with.ts'
import { place } from '../../../test/trip-samples.ts'
import { requiredEventType } from '../../catalogue/event-types.ts'
import { distanceM } from '../../model/earth.ts'
import { type DeviceId, type Position, type Sample, valueIn } from '../../model/sample.ts'
import { historySourceOf } from '../history-source.ts'
import { DAY_MS } from '../sealed/days.ts'
import { OccasionReader } from './read-occasions.ts'

const POSITION = requiredEventType('POSITION')
const SPEED = requiredEventType('VEHICLE_SPEED_AVERAGE')
const GREATEST = requiredEventType('VEHICLE_SPEED_MAX')
const IGNITION = requiredEventType('IS_IGNITION_ON')
const LEAST_M = 200
const WANTED = {
  types: [POSITION.id],
  moved: { leastM: LEAST_M, shownBy: [{ types: [SPEED.id, GREATEST.id], below: 250 }, { types: [IGNITION.id] }] },
}
const FIRST_MS = Date.UTC(2026, 0, 10)
const END_MS = FIRST_MS + 90 * DAY_MS

let store: SampleStore
let nextDevice = 356307042441013
beforeAll(async () => {
  store = await makeSampleStore()
})
afterAll(() => store[Symbol.asyncDispose]())

const speed = fc.constantFrom(0, 0.5, 40, 250, 300)
const anyReport = fc.record(
  {
    POSITION: fc.constantFrom(0, 30, 150, 260, 5000).map(place),
    VEHICLE_SPEED_AVERAGE: speed,
    VEHICLE_SPEED_MAX: speed,
    IS_IGNITION_ON: fc.boolean(),
    BATTERY_VOLTAGE: fc.constant(12.5),
  },
  { requiredKeys: ['BATTERY_VOLTAGE'] },
)
/** Farther apart than one statement reads, too. */
const anyHistory = fc
  .array(fc.tuple(anyReport, fc.constantFrom(1000, 60_000, 3_600_000, 20 * DAY_MS)), { minLength: 2, maxLength: 25 })
  .map(reports => {
    let timeMs = FIRST_MS
    return reports.flatMap(([report, stepMs]) => {
      timeMs += stepMs
      return timeMs < END_MS ? [{ report, timeMs }] : []
    })
  })

function isDriven(sample: Sample): boolean {
  const kmh = [SPEED, GREATEST].map(type => valueIn(sample, type)).find(value => value !== undefined)
  return (typeof kmh === 'number' && kmh > 0 && kmh < 250) || valueIn(sample, IGNITION) === true
}

/** How far each fix is from the farthest one before it since somebody last drove. */
function movedM(samples: readonly Sample[]): Map<number, number> {
  const moved = new Map<number, number>()
  let fixes: Position[] = []
  for (const sample of samples) {
    if (isDriven(sample)) fixes = []
    const fix = isDriven(sample) ? undefined : (valueIn(sample, POSITION) as Position | undefined)
    if (!fix) continue
    moved.set(sample.timeMs, Math.max(0, ...fixes.map(before => distanceM(before, fix))))
    fixes.push(fix)
  }
  return moved
}

describe('fixes of cars that are moved', () => {
  it.each(['in rows', 'in sealed days', 'with late rows beside sealed days'])(
    'are all found, and hardly others, %s',
    async how => {
      await fc.assert(
        fc.asyncProperty(anyHistory, async history => {
          const deviceId = (nextDevice += 8) as DeviceId
          const samples = history.map(({ report, timeMs }) => sampleWith(deviceId, timeMs, report))
          await storeSealed(store, samples, {
            sealed: days => (how === 'in rows' ? [] : days.filter(dayMs => dayMs % (3 * DAY_MS) !== 0)),
            isLate: index => how.startsWith('with late rows') && index % 3 === 0,
          })
          const reader = new OccasionReader(historySourceOf(store.database.readsOf(store.accountId)), WANTED)
          const { spans, samples: count } = await reader.read({ deviceId, fromMs: FIRST_MS, toMs: END_MS })
          expect(count).toBe(samples.length)
          const isFound = (timeMs: number) => spans.some(({ fromMs, toMs }) => fromMs <= timeMs && timeMs <= toMs)
          const moved = [...movedM(samples)]
          expect(moved.filter(([timeMs, metres]) => metres >= LEAST_M && !isFound(timeMs))).toEqual([])
          // All of a day with late rows counts as found.
          const near = how.startsWith('with late rows') ? [] : moved.filter(([, metres]) => metres < LEAST_M / 2)
          expect(near.filter(([timeMs]) => isFound(timeMs))).toEqual([])
        }),
        { numRuns: deep(20) },
      )
    },
  )
})
