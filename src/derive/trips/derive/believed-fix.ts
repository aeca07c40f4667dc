import { isSeldom } from './cadence.ts'
import { type Departure, rememberLeaving } from './departure.ts'
import { saysStanding, wordOf } from './evidence.ts'
import { isPausedBriefly } from './open-trip.ts'
import { type Fix, isBelieved, isNext } from './place.ts'
import { isHybrid } from './power.ts'
import type { Progress } from './progress.ts'
import type { Reading } from './reading.ts'
import { LONGEST_SILENCE_MS } from './rules.ts'
import { stayFrom } from './stay.ts'
import { goOnFrom } from './stay-after-fix.ts'

/** Moves on to a believed fix. @returns how the car left its place, if the fix shows that it did */
export function goToFix(progress: Progress, reading: Reading, fix: Fix, isBusy: boolean): Departure | undefined {
  const { position, timeMs } = reading
  if (!position || !isBelieved(fix)) return undefined
  const { place } = progress
  // After the dongle left another car, only the fixes that agree with each other are known of this one.
  if (fix === 'agreed' && place?.rival) progress.stay ??= stayFrom(place.rival.position, place.rival.lastMs)
  const { stay } = progress
  if (!stay || !place || !isNext(fix)) {
    progress.stay = stayFrom(position, timeMs)
    return undefined
  }
  const unseenMs = unseenFor(progress, timeMs)
  const isDriving = progress.trip !== undefined && progress.trip.pause === undefined
  const standing = saysStanding(reading)
  const before = { position: place.position, firstMs: place.firstMs, lastMs: place.lastMs, isDriving, isBusy }
  const { rival } = place
  if (fix !== 'agreed' || !rival)
    return asSeen(progress, goOnFrom(stay, position, timeMs, before, standing, unseenMs), timeMs)
  const left = goOnFrom(stay, rival.position, rival.lastMs, before, false, unseenFor(progress, rival.lastMs))
  const first = asSeen(progress, left, rival.lastMs)
  if (first && !first.isDrive) rememberLeaving(stay, first)
  const second = goOnFrom(stay, position, timeMs, { ...rival, isDriving: true, isBusy: true }, standing, unseenMs)
  // What was before a long silence is no part of what follows it.
  if (timeMs - rival.lastMs > LONGEST_SILENCE_MS) return asSeen(progress, second, timeMs)
  return first?.isDrive ? first : (asSeen(progress, second, timeMs) ?? first)
}

/** With so few reports it was probably no drive, because a drive would have been reported more often. */
function asSeen(progress: Progress, left: Departure | undefined, timeMs: number): Departure | undefined {
  return left?.isDrive && !wasSeen(progress, left, timeMs) ? { ...left, isDrive: false } : left
}

/** How long the car may have driven before a fix shows it: an interval, or for as long as samples came without a fix. */
function unseenFor({ place, lastMs, busySinceMs, cadenceMs }: Progress, timeMs: number): number | undefined {
  const isBlind = place !== undefined && lastMs !== undefined && lastMs > place.lastMs
  if (!isBlind || busySinceMs === undefined || timeMs - place.lastMs > LONGEST_SILENCE_MS) return cadenceMs
  const usualMs = cadenceMs ?? 0
  return Math.max(usualMs, timeMs - Math.max(place.lastMs, busySinceMs - usualMs))
}

/**
 * A parked dongle reports rarely; had the car driven between two reports, there would be more of them. Where neither ignition nor engine
 * could tell, a silence that is no longer than one within a drive has hidden it.
 */
function wasSeen(progress: Progress, { fromMs }: Departure, timeMs: number): boolean {
  const { trip, busySinceMs, cadenceMs, power } = progress
  const word = wordOf(power)
  const isUntold = word === undefined || (word.of === 'engine' && isHybrid(power))
  if (isUntold && timeMs - fromMs <= LONGEST_SILENCE_MS) return true
  if (trip !== undefined && isPausedBriefly(trip, fromMs)) return true
  return !isSeldom(timeMs - fromMs, cadenceMs) || (busySinceMs !== undefined && busySinceMs <= fromMs)
}
