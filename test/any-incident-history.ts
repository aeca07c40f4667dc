import fc from 'fast-check'
import type { ParameterValue, RuleKind } from '../src/catalogue/rule-kinds/index.ts'
import type { AreaVersion } from '../src/derive/rules/rule-book.ts'
import type { EventValue, Sample } from '../src/model/sample.ts'
import { sampleWith } from './sample-with.ts'
import { NOON_MS, place } from './trip-samples.ts'

const ALWAYS = { fromMs: Number.NEGATIVE_INFINITY, toMs: Number.POSITIVE_INFINITY }
const around = (areaId: number, eastM: number, radiusM: number): AreaVersion => {
  const { lon, lat } = place(eastM)
  return { ...ALWAYS, areaId, version: 1, shape: { type: 'circle', center: [lon, lat], radiusM } }
}

/** Two that overlap, and one elsewhere. */
export const ANY_AREAS: readonly AreaVersion[] = [around(1, 0, 300), around(2, 200, 300), around(3, 5000, 1000)]

/** So that even short histories have incidents of every kind. */
const SHORT: Readonly<Record<string, number>> = {
  limitKmh: 70,
  longerThanMinutes: 10,
  dueKm: 100,
  everyKm: 10,
  aheadKm: 0,
  dueHours: 0.1,
  everyHours: 0.1,
  everyMonths: 1,
  aheadDays: 0,
}

/** Of a kind: what its rules must be told, and less than usual where that takes long. */
export function parametersOf({ parameters }: Pick<RuleKind, 'parameters'>): Record<string, ParameterValue> {
  return Object.fromEntries(
    parameters.flatMap((parameter): [string, ParameterValue][] => {
      const short = SHORT[parameter.name]
      if (short !== undefined) return [[parameter.name, short]]
      if (parameter.type === 'date') return [[parameter.name, '2026-01-13']]
      if (parameter.type === 'eventType') return [[parameter.name, parameter.default ?? 'ENGINE_OIL_TEMPERATURE']]
      if ((parameter.type === 'number' || parameter.type === 'integer') && parameter.default === null)
        return [[parameter.name, 100]]
      return []
    }),
  )
}

/** What a dongle may report for a while. */
const stretch = fc.record({
  count: fc.integer({ min: 1, max: 12 }),
  stepMs: fc.constantFrom(1000, 7000, 30_000, 60_000, 300_000),
  gapMs: fc.constantFrom(1, 1000, 60_000, 299_000, 1_000_000, 3_600_000, 40 * 3_600_000),
  kmh: fc.constantFrom(0, 0, 3, 30, 90, 140),
  turn: fc.constantFrom(-1, 1),
  jumpM: fc.constantFrom(0, 0, 0, 40, 90_000),
  isOn: fc.constantFrom(true, false, undefined),
  hasFix: fc.boolean(),
  hasSpeed: fc.boolean(),
  hasOdometer: fc.boolean(),
  isPluggedIn: fc.constantFrom(undefined, undefined, undefined, true, false),
  more: fc.record(
    {
      ENGINE_STATE: fc.boolean(),
      ENGINE_RPM_AVERAGE: fc.constantFrom(0, 800, 2500),
      BATTERY_VOLTAGE: fc.constantFrom(10.4, 11.7, 12.5, 14.1),
      FUEL_LEVEL_PERCENT: fc.constantFrom(10, 50, 90),
      FUEL_LEVEL: fc.constantFrom(5, 30, 60),
      ENGINE_COOLANT_TEMPERATURE: fc.constantFrom(20, 90, 118),
      ENGINE_OIL_TEMPERATURE: fc.constantFrom(60, 99, 101, 140),
      HV_BATTERY_SOC: fc.constantFrom(20, 50, 80),
      HV_BATTERY_IS_CHARGING: fc.boolean(),
      IS_MIL_ON: fc.boolean(),
      IS_MOVING: fc.boolean(),
      OBD_DTC_PERMANENT: fc.constantFrom('', 'P0301', 'P0301,U0100', '7E9:P0700'),
      OBD_DTC_SPORADIC: fc.constantFrom('', 'P0420'),
      HARSH_BRAKING: fc.constantFrom(3, 6),
      HARSH_ACCELERATION: fc.constantFrom(3, 6),
      HARSH_LEFT_CORNERING: fc.constantFrom(3, 6),
      HARSH_CORNERING_COUNT: fc.constantFrom(1, 2),
      WEAK_CRASH: fc.constantFrom(15, 30),
      SEVERE_CRASH: fc.constantFrom(40, 60),
      INSPECTION_REMAINING_DISTANCE: fc.constantFrom(-10, 500, 5000),
      OIL_CHANGE_REMAINING_TIME: fc.constantFrom(3, 100),
    },
    { requiredKeys: [] },
  ),
})

/** Samples of one dongle, ascending, with the event types that rules look at. */
export function incidentHistory(): fc.Arbitrary<readonly Sample[]> {
  return fc.array(stretch, { minLength: 1, maxLength: 10 }).map(stretches => {
    const samples: Sample[] = []
    let timeMs = NOON_MS
    let eastM = -500
    let km = 99.5
    for (const {
      count,
      stepMs,
      gapMs,
      kmh,
      turn,
      jumpM,
      isOn,
      hasFix,
      hasSpeed,
      hasOdometer,
      isPluggedIn,
      more,
    } of stretches) {
      timeMs += gapMs
      eastM += jumpM
      for (let index = 0; index < count; index++) {
        const metres = index === 0 ? 0 : (kmh / 3600) * stepMs
        if (index > 0) timeMs += stepMs
        eastM += turn * metres
        km += metres / 1000
        const values: Record<string, EventValue | undefined> = {
          IS_IGNITION_ON: isOn,
          IS_DONGLE_PLUGGED_IN: isPluggedIn,
          POSITION: hasFix ? place(eastM) : undefined,
          VEHICLE_SPEED_AVERAGE: hasSpeed ? kmh : undefined,
          VEHICLE_SPEED_MAX: hasSpeed && hasOdometer ? kmh + 5 : undefined,
          GPS_COURSE: hasFix ? (turn * index * 20 + 360) % 360 : undefined,
          GPS_SPEED: hasFix ? kmh : undefined,
          MILEAGE: hasOdometer ? Math.round(km * 10) / 10 : undefined,
          ...more,
        }
        samples.push(sampleWith(356307042441013, timeMs, values))
      }
    }
    return samples
  })
}

/** A quarter of an hour at 50 km/h, of which everything is reported. */
function drive(fromMs: number, fromM: number): Sample[] {
  const stepMs = 15_000
  return Array.from({ length: 60 }, (_, step) => {
    const metres = ((step * stepMs * 50) / 3_600_000) * 1000
    return sampleWith(356307042441013, fromMs + step * stepMs, {
      IS_IGNITION_ON: true,
      IS_MOVING: true,
      POSITION: place(fromM + metres),
      VEHICLE_SPEED_AVERAGE: 50,
      MILEAGE: 200 + metres / 1000,
    })
  })
}

/** Several such histories, one after the other, mostly with a drive between two of them. */
export function longIncidentHistory(): fc.Arbitrary<readonly Sample[]> {
  const part = fc.record({
    history: incidentHistory(),
    gapMs: fc.constantFrom(1000, 600_000, 40 * 3_600_000),
    drivesFromM: fc.constantFrom(undefined, -500, 0, 3000),
  })
  return fc.array(part, { minLength: 1, maxLength: 4 }).map(parts => {
    const samples: Sample[] = []
    for (const { history, gapMs, drivesFromM } of parts) {
      const last = samples.at(-1)?.timeMs
      const fromMs = last === undefined ? NOON_MS : last + gapMs
      if (drivesFromM !== undefined) samples.push(...drive(fromMs, drivesFromM))
      const byMs = (samples.at(-1)?.timeMs ?? NOON_MS) + gapMs - (history[0]?.timeMs ?? 0)
      samples.push(...history.map(sample => ({ ...sample, timeMs: sample.timeMs + byMs })))
    }
    return samples
  })
}
