import { type EventTypeName, requiredEventType } from '../../../../catalogue/event-types.ts'
import {
  type HarshManoeuvre,
  harshThresholdMps2,
  type VehicleClass,
} from '../../../../catalogue/rule-kinds/harsh-thresholds.ts'
import { detector, type KindOfRule } from '../detector.ts'
import type { Moment } from '../moment.ts'
import { numberIn } from '../number-in.ts'
import { textOf } from '../rule-book.ts'
import { endedSpell, type Spell } from '../spell.ts'
import { ANY_GAP_MS } from './bounds.ts'
import { greatestIn, stepJolts } from './crash.ts'

/** What was told last, from which speed and course change. */
type Told = {
  readonly timeMs: number
  readonly kmh: number
  readonly courseDeg: number | null
}

type Harsh = {
  readonly spell: Spell | null
  readonly told: Told | null
  /** The count of the sample before; null if it had none. */
  readonly count: number | null
}

/** Dongles that tell of one manoeuvre twice do so within seconds. */
const MANOEUVRE_MS = 5000
/** Over a longer interval, the difference of two speeds says nothing about a manoeuvre. */
const LONGEST_INTERVAL_MS = 2500
/** Nor over a shorter one: speeds come in whole km/h. */
const SHORTEST_INTERVAL_MS = 400
/** Tyres do not hold more. */
const MOST_MPS2 = 11
/** The course of a slow car is noise. */
const LEAST_CORNERING_KMH = 15

const COURSE = requiredEventType('GPS_COURSE')
const SPEEDS = ['VEHICLE_SPEED_AVERAGE', 'VEHICLE_SPEED_MAX', 'GPS_SPEED'] as const

const harsh =
  (manoeuvre: HarshManoeuvre, measuredNames: readonly EventTypeName[], countName: EventTypeName): KindOfRule =>
  rule => {
    const thresholdMps2 = harshThresholdMps2(manoeuvre, textOf(rule, 'vehicleClass') as VehicleClass)
    const measured = measuredNames.map(requiredEventType)
    const counted = requiredEventType(countName)
    return detector<Harsh>({
      begins: [...measuredNames, countName, ...SPEEDS].map(name => requiredEventType(name).id),
      longestGapMs: ANY_GAP_MS,
      step(before, moment) {
        const told = toldIn(moment)
        const count = numberIn(moment.sample, counted) ?? null
        const byCount = count !== null && count > (before?.count ?? 0) ? null : undefined
        const mps2 =
          greatestIn(measured, moment.sample) ?? derived(manoeuvre, before?.told, told, thresholdMps2) ?? byCount
        const { state: spell, done } = stepJolts(before?.spell ?? null, moment, mps2, MANOEUVRE_MS)
        return { state: spell || told || count !== null ? { spell, told: told ?? null, count } : null, done }
      },
      goingOn: ({ spell }) => (spell ? [endedSpell(spell)] : []),
      end: ({ spell }) => (spell ? [endedSpell(spell)] : []),
    })
  }

function toldIn({ reading, sample, isFixBelieved, timeMs }: Moment): Told | undefined {
  const kmh = reading.vehicleSpeedKmh ?? (isFixBelieved ? reading.gpsSpeedKmh : undefined)
  if (kmh === undefined) return undefined
  return { timeMs, kmh, courseDeg: (isFixBelieved ? numberIn(sample, COURSE) : undefined) ?? null }
}

/** How much the car accelerated between two samples that follow each other at once, if that is beyond a threshold. */
function derived(
  manoeuvre: HarshManoeuvre,
  before: Told | null | undefined,
  now: Told | undefined,
  thresholdMps2: number,
): number | undefined {
  if (!before || !now) return undefined
  const intervalMs = now.timeMs - before.timeMs
  if (intervalMs > LONGEST_INTERVAL_MS || intervalMs < SHORTEST_INTERVAL_MS) return undefined
  const mps2 = manoeuvre === 'cornering' ? lateralMps2(before, now, intervalMs) : alongMps2(before, now, intervalMs)
  const harshMps2 = manoeuvre === 'braking' ? -mps2 : mps2
  return harshMps2 >= thresholdMps2 && harshMps2 <= MOST_MPS2 ? Math.round(harshMps2 * 100) / 100 : undefined
}

function alongMps2(before: Told, now: Told, intervalMs: number): number {
  return (now.kmh - before.kmh) / 3.6 / (intervalMs / 1000)
}

function lateralMps2(before: Told, now: Told, intervalMs: number): number {
  const kmh = Math.min(before.kmh, now.kmh)
  if (before.courseDeg === null || now.courseDeg === null || kmh < LEAST_CORNERING_KMH) return 0
  const turnedDeg = Math.abs(((now.courseDeg - before.courseDeg + 540) % 360) - 180)
  return ((kmh / 3.6) * turnedDeg * (Math.PI / 180)) / (intervalMs / 1000)
}

export const harshAcceleration = harsh(
  'acceleration',
  ['HARSH_ACCELERATION', 'EXTREME_ACCELERATION'],
  'HARSH_ACCELERATION_COUNT',
)
export const harshBraking = harsh('braking', ['HARSH_BRAKING', 'EXTREME_BRAKING'], 'HARSH_BRAKING_COUNT')
export const harshCornering = harsh(
  'cornering',
  ['HARSH_LEFT_CORNERING', 'HARSH_RIGHT_CORNERING', 'EXTREME_LEFT_CORNERING', 'EXTREME_RIGHT_CORNERING'],
  'HARSH_CORNERING_COUNT',
)
