import type { Position } from '../../../model/sample.ts'
import type { Calibration } from './calibration.ts'
import { arrivalMs, type Departure, outsetOf } from './departure.ts'
import type { Motion, Word } from './evidence.ts'
import type { Place } from './place.ts'
import { type Stay } from './stay.ts'

/** What is known at the instant of a reading. */
export interface Circumstances {
  readonly timeMs: number
  /** The sample before. */
  readonly lastMs: number | undefined
  /** A longer interval without data counts as a silence of this dongle. */
  readonly silenceMs: number
  /** The last unplug or trip end. */
  readonly boundaryMs: number
  readonly isUnplugged: boolean
  /** Ignition or engine; undefined if neither is reported. */
  readonly word: Word | undefined
  readonly isHybrid: boolean
  readonly motion: Motion
  /** How the car left its place, if the fix of this reading shows it. */
  readonly departure: Departure | undefined
  /** How it crept away, without evidence of driving. */
  readonly creeping: Departure | undefined
  /** Where the car is after this reading according to fixes, and whether they show standstill. */
  readonly stay: Stay | undefined
  readonly isStill: boolean
  /** When the car arrived at the fix of the reading before, if fixes alone showed its motion and no more than that fix shows its place. */
  readonly cameMs: number | undefined
  /** The odometer of this reading shows standstill. */
  readonly isOdometerStill: boolean
  readonly cadenceMs: number | undefined
  /** Since when it reports as it does while the car drives. */
  readonly busySinceMs: number | undefined
  /** Driving shown by the odometer of this reading: its value before, when that was read, and when the car left. */
  readonly progress: OdometerProgress | undefined
  /** The car's own speed or its odometer shows driving, which towing can not cause. */
  readonly isByCar: boolean
  readonly canTell: boolean
  /** Its position is not believed, or not yet, and nothing else shows where the car is. */
  readonly isVague: boolean
  /** It reports ignition or engine and nothing else that matters to trips. */
  readonly isWordAlone: boolean
  readonly tellsSpeed: boolean
  /** Whether the car reports its speed, and whether this is the first reading with it. */
  readonly isAwake: boolean
  readonly hasWoken: boolean
  /** The fix of this reading, if it is believed. */
  readonly position: Position | undefined
  /** The last believed fix before, and the centre of the fixes around it. */
  readonly place: Place | undefined
  readonly middle: Position | undefined
  /** Beyond this distance from there, the car has certainly left. */
  readonly provenAtM: number
  /** What earlier trips showed about the odometer. */
  readonly calibrations: readonly Calibration[]
}

/** The odometer moved on. */
export interface OdometerProgress {
  readonly fromKm: number
  readonly fromMs: number
  readonly departedMs: number
  /** Assuming that it drove off at once. */
  readonly arrivedMs: number
}

/** The car has moved since the reading before. */
export function hasLeft({ departure, creeping, progress }: Circumstances): boolean {
  return departure !== undefined || creeping !== undefined || progress !== undefined
}

/** How the car left its place, without proof yet that it drives. */
export function outsetIn({ stay, cadenceMs }: Circumstances): Departure | undefined {
  return stay && outsetOf(stay, cadenceMs)
}

/** When the car arrived at the place of its fixes; undefined without fixes. */
export function arrivedMsIn(now: Circumstances): number | undefined {
  const { stay, departure, creeping, progress, position, place, timeMs } = now
  if (departure || creeping) return stay?.arrivedMs
  // The receiver may repeat a fix while the car drives on. A motion sensor reports standstill at once.
  if (progress) return now.motion === 'standing' && !now.tellsSpeed ? timeMs : progress.arrivedMs
  if (now.isStill) return stay?.arrivedMs
  return position && place ? arrivalMs(place, position, timeMs) : undefined
}
