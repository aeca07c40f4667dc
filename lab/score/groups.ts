import type { DongleLine } from '../simulate/truth-lines.ts'
import { type ComparedDongle, ownerOf, type ToldDrive, type ToldTrip } from './compared-dongle.ts'
import { type DeviceComparison, type Metres, metresOf, shareOff } from './device-comparison.ts'
import type { SharedCar } from './shared-cars.ts'
import { type Score, scoreOf } from './trip-score.ts'

/** Drives that have something in common. */
export interface GroupScore extends Pick<Score, 'expected' | 'found' | 'f1' | 'medianDistanceError'> {
  /** A kind of dongle and its interval, those of two in one car, or a fault. */
  readonly name: string
  readonly matched: number
  /** All trips against all drives; negative when too little was told. */
  readonly kilometreError: number
}

/** By the kind of the dongles and the seconds between their records, where the truth says what they are. */
export function groupsByDongle(dongles: readonly ComparedDongle[]): GroupScore[] {
  const known = dongles.filter(({ drives, told }) => drives.length > 0 || told.length > 0)
  return grouped(known, ({ truth: { dongle } }) => dongle && kindText(dongle), wholeOf)
}

export function kindText({ kind, everyS }: Pick<DongleLine['dongle'], 'kind' | 'everyS'>): string {
  return `${kind}, every ${everyS} s`
}

/** Cars with two dongles, by the kinds of both. */
export function groupsOfSharedCars(cars: readonly SharedCar[]): GroupScore[] {
  return grouped(
    cars,
    ({ kinds }) => kinds,
    ({ comparison }) => ({ comparison, metres: comparison.metres }),
  )
}

function grouped<Item>(
  items: readonly Item[],
  nameOf: (item: Item) => string | undefined,
  partOfGroup: (item: Item) => Part,
): GroupScore[] {
  const groups = new Map<string, Part[]>()
  for (const item of items) {
    const name = nameOf(item)
    if (name !== undefined) groups.set(name, [...(groups.get(name) ?? []), partOfGroup(item)])
  }
  return [...groups].sort(byName).map(([name, parts]) => groupScore(name, parts))
}

/**
 * By what went wrong around the drives, where the truth says it. Several faults may have hit a drive, so it counts in each
 * group; a trip that nobody drove belongs to the drive before it.
 */
export function groupsByFault(dongles: readonly ComparedDongle[]): GroupScore[] {
  const names = new Set(dongles.flatMap(({ drives }) => drives.flatMap(({ faults }) => faults)))
  return [...names].sort().map(name => {
    const parts = dongles.map(compared => partOf(compared, ({ faults }) => faults.includes(name)))
    return groupScore(name, parts)
  })
}

interface Part {
  readonly comparison: Pick<DeviceComparison<ToldTrip>, 'expected' | 'found' | 'matches'>
  readonly metres: Metres
}

const byName = ([a]: readonly [string, unknown], [b]: readonly [string, unknown]) => (a < b ? -1 : 1)

function wholeOf({ comparison, drives, told }: ComparedDongle): Part {
  return { comparison, metres: metresOf(drives, told) }
}

function partOf({ comparison, drives, told }: ComparedDongle, isMeant: (drive: ToldDrive) => boolean): Part {
  const isOwned = (trip: { readonly startMs: number; readonly endMs: number; readonly distanceM: number }) => {
    const owner = ownerOf(trip, drives)
    return owner !== undefined && isMeant(owner)
  }
  const matches = comparison.matches.filter(({ expected }) => isOwned(expected))
  return {
    comparison: {
      expected: matches.length + comparison.missed.filter(isOwned).length,
      found: matches.length + comparison.invented.filter(isOwned).length,
      matches,
    },
    metres: metresOf(drives.filter(isMeant), told.filter(isOwned)),
  }
}

function groupScore(name: string, parts: readonly Part[]): GroupScore {
  const { expected, found, f1, medianDistanceError, matches } = scoreOf(parts.map(({ comparison }) => comparison))
  const sum = (of: keyof Metres) => parts.reduce((total, { metres }) => total + metres[of], 0)
  const metres = { leastM: sum('leastM'), mostM: sum('mostM'), foundM: sum('foundM') }
  return { name, expected, found, matched: matches.length, f1, medianDistanceError, kilometreError: shareOff(metres) }
}
