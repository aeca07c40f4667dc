import { type EventTypeName, requiredEventType } from '../../../../catalogue/event-types.ts'
import {
  type HarshManoeuvre,
  harshThresholdMps2,
  type VehicleClass,
} from '../../../../catalogue/rule-kinds/harsh-thresholds.ts'
import { detector, type KindOfRule, NOTHING } from '../detector.ts'
import type { Moment } from '../moment.ts'
import { numberIn } from '../number-in.ts'
import { packSpellIfAny, unpackSpellIfAny } from '../packed-spell.ts'
import { packing } from '../packing.ts'
import { textOf } from '../rule-book.ts'
import type { Situation } from '../situation.ts'
import { endedSpell, type Spell } from '../spell.ts'
import { ANY_GAP_MS } from './bounds.ts'
import { greatestOf, stepJolts } from './crash.ts'

type Harsh = {
  readonly spell: Spell | null
  /** The count of the sample before; null if it had none. */
  readonly count: number | null
}

const HARSH_PACKING = packing(
  ({ spell, count }: Harsh, origin) => [packSpellIfAny(spell, origin), count] as const,
  ([spell, count], origin) => ({ spell: unpackSpellIfAny(spell, origin), count }),
)

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

const SPEEDS = ['VEHICLE_SPEED_AVERAGE', 'VEHICLE_SPEED_MAX', 'GPS_SPEED'] as const

const harsh =
  (manoeuvre: HarshManoeuvre, measuredNames: readonly EventTypeName[], countName: EventTypeName): KindOfRule =>
  rule => {
    const thresholdMps2 = harshThresholdMps2(manoeuvre, textOf(rule, 'vehicleClass') as VehicleClass)
    const counted = requiredEventType(countName)
    const measured = measuredNames.map(requiredEventType)
    const greatestIn = greatestOf(measured)
    const own = [...measured, counted].map(({ id }) => id)
    return detector<Harsh>({
      begins: [...own, ...SPEEDS.map(name => requiredEventType(name).id)],
      // So far apart, speeds tell nothing.
      beginsLate: { afterMs: LONGEST_INTERVAL_MS, types: own },
      longestGapMs: ANY_GAP_MS,
      packing: HARSH_PACKING,
      step(before, moment) {
        const count = numberIn(moment, counted) ?? null
        const byCount = count !== null && count > (before?.count ?? 0) ? null : undefined
        const mps2 = greatestIn(moment) ?? derived(manoeuvre, moment, thresholdMps2) ?? byCount
        if (mps2 === undefined && count === null && !before) return NOTHING
        const { state: spell, done } = stepJolts(before?.spell ?? null, moment, mps2, MANOEUVRE_MS)
        return { state: spell || count !== null ? { spell, count } : null, done }
      },
      goingOn: ({ spell }) => (spell ? [endedSpell(spell)] : []),
      end: ({ spell }) => (spell ? [endedSpell(spell)] : []),
    })
  }

/** How much the car accelerated between two samples that follow each other at once, if that is beyond a threshold. */
function derived(manoeuvre: HarshManoeuvre, { before, now }: Moment, thresholdMps2: number): number | undefined {
  const intervalMs = before ? now.lastMs - before.lastMs : 0
  if (!before || intervalMs > LONGEST_INTERVAL_MS || intervalMs < SHORTEST_INTERVAL_MS) return undefined
  const mps2 = manoeuvre === 'cornering' ? lateralMps2(before, now, intervalMs) : alongMps2(before, now, intervalMs)
  const harshMps2 = manoeuvre === 'braking' ? -mps2 : mps2
  return harshMps2 >= thresholdMps2 && harshMps2 <= MOST_MPS2 ? Math.round(harshMps2 * 100) / 100 : undefined
}

function alongMps2(before: Situation, now: Situation, intervalMs: number): number {
  if (before.kmh === null || now.kmh === null || before.isKmhOfCar !== now.isKmhOfCar) return 0
  return (now.kmh - before.kmh) / 3.6 / (intervalMs / 1000)
}

function lateralMps2(before: Situation, now: Situation, intervalMs: number): number {
  const kmh = Math.min(before.kmh ?? 0, now.kmh ?? 0)
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
