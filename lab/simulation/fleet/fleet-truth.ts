import type { DeviceId, Position } from '../../../src/model/sample.ts'
import { type Fault, sensesIgnition } from '../dongle.ts'
import { motionAt } from '../drive-plan.ts'
import { type ExpectedDrive, expectedDrives, expectedWhole } from '../expected-drives.ts'
import { trueTripOf } from '../recording.ts'
import type { Drive } from '../schedule.ts'
import { situationAt } from '../situation.ts'
import { DAY_MS, dayAt, planCarDay } from './car-day.ts'
import {
  changeAfter,
  type DongleDay,
  disturbedDay,
  dongleDays,
  isDisturbed,
  plainReadings,
  plainRecording,
} from './dongle-day.ts'
import { faultsBetween } from './fault-codes.ts'
import type { FleetFault } from './fleet-faults.ts'
import { recentDays } from './recent-days.ts'
import { toldAtMs } from './transmissions.ts'
import type { VirtualCar, VirtualDongle } from './virtual-fleet.ts'

/** A drive, or the part of it that a dongle could observe. Times are milliseconds since 1970. */
interface FleetPath {
  readonly startMs: number
  readonly endMs: number
  /** Along the road. */
  readonly distanceM: number
  readonly startPosition: Position
  readonly endPosition: Position
}

/** Everything that the dongle in the car could observe of a drive. */
export interface WitnessedPath extends FleetPath {
  readonly deviceId: DeviceId
  /** By when it has sent all of it. */
  readonly toldMs: number
  /** Where the data leaves it open, a trip that starts as early, ends as late or is as long as this is right, too. */
  readonly earliestStartMs: number
  readonly latestEndMs: number
  readonly mostM: number
  /** false: its records do not show that the car was driven, so it is right to find the drive, and right not to. */
  readonly isSure: boolean
  /** A single trip for this and the next drive is right, too, if the car stands for less than this between them. */
  readonly joinsNextBelowMs: number
  /** What went wrong with the dongle, from the start of this drive to that of the next one. */
  readonly faults: readonly FleetFault[]
}

/** A drive from ignition on to ignition off. */
export interface FleetTrip extends FleetPath {
  readonly vin: string
  /** It began in the time that was asked for, too. */
  readonly isWhole: boolean
  /** null when no dongle was in the car. */
  readonly witnessed: WitnessedPath | null
  /** What else the dongle could know of it after a silence that cuts a trip. */
  readonly witnessedAfterSilence: readonly WitnessedPath[]
}

/** The time in which a dongle was in a car. */
interface FleetStint {
  readonly deviceId: DeviceId
  readonly vin: string
  readonly fromMs: number
  readonly toMs: number
}

/** What really happened after `fromMs` up to `toMs`, as plain data: JSON represents it exactly. */
interface FleetTruth {
  readonly fromMs: number
  readonly toMs: number
  /**
   * Those of which the dongle had told all in that time, even if they began or ended before; those that no dongle witnessed, when
   * they ended in it. In the order of their ends.
   */
  readonly trips: readonly FleetTrip[]
  /** Those that a car stored at some instant of it. */
  readonly faultCodes: readonly FleetFaultCode[]
  /** Where the dongles were in that time. */
  readonly stints: readonly FleetStint[]
  /** Driven in that time, whether witnessed or not; whole metres, so that sums add up. */
  readonly drivenM: number
  readonly drivenMByVin: Readonly<Record<string, number>>
}

/** When drives began. */
interface Begun {
  readonly afterMs?: number
  readonly beforeMs?: number
}

/**
 * Works out what happened to all cars of the dongles. Trips and kilometres of a time are those of its parts, however it is cut.
 * @param dongles no two in one car at the same time; what a dongle that is not among them witnessed counts as not witnessed.
 * @param begun of all trips, only those that began then: what a dongle witnessed of the other days need not be worked out
 */
export function truthBetween(
  dongles: readonly VirtualDongle[],
  fromMs: number,
  toMs: number,
  { afterMs = Number.NEGATIVE_INFINITY, beforeMs = Number.POSITIVE_INFINITY }: Begun = {},
): FleetTruth {
  const isAsked = (drive: Drive) =>
    mayBeToldIn(drive, fromMs, toMs) && afterMs < drive.startMs && drive.startMs < beforeMs
  const cars = [...new Set(dongles.flatMap(dongle => dongle.cars))]
  const stints: FleetStint[] = []
  const witnessed = new Map<string, WitnessedPath[]>()
  for (const dongle of dongles)
    for (const day of dongleDays(dongle, fromMs - LONGEST_UNTOLD_MS, toMs)) {
      if (day.plan.toMs > fromMs) addStint(stints, dongle.dongle.deviceId, day, fromMs, toMs)
      if (!day.plan.drives.some(isAsked)) continue
      for (const expected of witnessedDrives(dongle, day)) {
        const { drive } = expected
        if (!isAsked(drive)) continue
        const key = keyOf(day.virtualCar, drive)
        witnessed.set(key, [...(witnessed.get(key) ?? []), witnessedPath(dongle, day, expected)])
      }
    }
  const drivenMByVin = Object.fromEntries(cars.map(car => [car.car.vin, odometerM(car, toMs) - odometerM(car, fromMs)]))
  return {
    fromMs,
    toMs,
    trips: cars
      .flatMap(car =>
        drivesAround(car, fromMs, toMs, isAsked).map((drive): FleetTrip => {
          const [first = null, ...others] = witnessed.get(keyOf(car, drive)) ?? []
          return {
            vin: car.car.vin,
            isWhole: drive.startMs > fromMs,
            ...pathOfDrive(drive),
            witnessed: first,
            witnessedAfterSilence: others,
          }
        }),
      )
      .filter(trip => fromMs < toldMs(trip) && toldMs(trip) <= toMs)
      .sort((a, b) => a.endMs - b.endMs),
    faultCodes: faultCodesBetween(dongles, cars, fromMs, toMs),
    stints,
    drivenM: Object.values(drivenMByVin).reduce((sum, metres) => sum + metres, 0),
    drivenMByVin,
  }
}

function toldMs({ endMs, witnessed, witnessedAfterSilence }: FleetTrip): number {
  return witnessed ? Math.max(...[witnessed, ...witnessedAfterSilence].map(path => path.toldMs)) : endMs
}

/** No dongle is without network for longer. */
const LONGEST_UNTOLD_MS = DAY_MS

/** A drive is known by its start. */
const keyOf = ({ car }: VirtualCar, { startMs }: Drive) => `${car.vin} ${startMs}`

/** Of the drives that may have been told in that time, those that are asked for. */
function drivesAround(car: VirtualCar, fromMs: number, toMs: number, isAsked: (drive: Drive) => boolean): Drive[] {
  const firstDay = dayAt(car, fromMs - LONGEST_UNTOLD_MS)
  return Array.from({ length: dayAt(car, toMs) - firstDay + 1 }, (_, i) => planCarDay(car, firstDay + i))
    .flatMap(({ drives }) => drives)
    .filter(isAsked)
}

/** Drives of which the last may have been told in that time. */
function mayBeToldIn({ endMs }: Drive, fromMs: number, toMs: number): boolean {
  return fromMs - LONGEST_UNTOLD_MS < endMs && endMs <= toMs
}

function witnessedPath(virtualDongle: VirtualDongle, day: DongleDay, expected: ExpectedDrive): WitnessedPath {
  const { drive, isWitnessed, ...path } = expected
  const positionAt = (timeMs: number) => motionAt(drive.plan, timeMs - drive.startMs).position
  return {
    deviceId: virtualDongle.dongle.deviceId,
    ...path,
    isSure: isWitnessed,
    startPosition: positionAt(path.startMs),
    endPosition: positionAt(path.endMs),
    toldMs: toldAtMs(virtualDongle, day, path),
    faults: [
      ...(isDisturbed(virtualDongle) ? disturbedDay(virtualDongle, day).faultsOf(drive) : []),
      ...changesAt(virtualDongle, day, drive),
    ],
  }
}

/** A change of dongles hits the last drive before the dongle leaves the car, and the first one after it came. */
function changesAt(
  virtualDongle: VirtualDongle,
  { day, isFirst, isLast, plan: { drives } }: DongleDay,
  { startMs }: Drive,
): FleetFault[] {
  return [
    ...(isFirst && startMs === drives[0]?.startMs ? [changeAfter(virtualDongle, day - 1)] : []),
    ...(isLast && startMs === drives.at(-1)?.startMs ? [changeAfter(virtualDongle, day)] : []),
  ]
}

function pathOfDrive({ startMs, endMs, plan }: Drive): FleetPath {
  const [start, end] = [motionAt(plan, 0), motionAt(plan, plan.lastsMs)]
  return { startMs, endMs, distanceM: plan.lengthM, startPosition: start.position, endPosition: end.position }
}

function odometerM(car: VirtualCar, timeMs: number): number {
  return situationAt(planCarDay(car, dayAt(car, timeMs)), timeMs).odometerM
}

function addStint(
  stints: FleetStint[],
  deviceId: DeviceId,
  { virtualCar, plan }: DongleDay,
  fromMs: number,
  toMs: number,
): void {
  const last = stints.at(-1)
  const { vin } = virtualCar.car
  const stint = { deviceId, vin, fromMs: Math.max(fromMs, plan.fromMs), toMs: Math.min(toMs, plan.toMs) }
  if (last?.deviceId === deviceId && last.vin === vin && last.toMs === stint.fromMs)
    stints[stints.length - 1] = { ...last, toMs: stint.toMs }
  else stints.push(stint)
}

/** The first report of a dongle about a fault code. */
interface FirstWord {
  readonly deviceId: DeviceId
  /** By its own clock. */
  readonly timeMs: number
}

/** A fault code that a car stored, and what its dongle told of it. */
export interface FleetFaultCode {
  readonly vin: string
  readonly code: string
  readonly kind: Fault['kind']
  readonly fromMs: number
  /** When a workshop cleared it; null while it is stored. */
  readonly toMs: number | null
  /** The first list of codes that has it; null when none of the time asked for does. */
  readonly listed: FirstWord | null
  /** The first list after that one which has it no more. */
  readonly cleared: FirstWord | null
}

/** The fault codes that the cars stored after `fromMs` up to `toMs`. */
export function faultCodesBetween(
  dongles: readonly VirtualDongle[],
  cars: readonly VirtualCar[],
  fromMs: number,
  toMs: number,
): FleetFaultCode[] {
  return cars.flatMap(car =>
    faultsBetween(car, fromMs, toMs).map((fault): FleetFaultCode => {
      const clearedMs = fault.toMs !== undefined && fault.toMs <= toMs ? fault.toMs : undefined
      const first = (afterMs: number, untilMs: number) => firstList(dongles, car, afterMs, untilMs)
      const listed = first(Math.max(fault.fromMs - 1, fromMs), Math.min(fault.toMs ?? toMs, toMs))
      const cleared = listed && clearedMs !== undefined ? first(clearedMs - 1, toMs) : undefined
      return {
        vin: car.car.vin,
        code: fault.code,
        kind: fault.kind,
        fromMs: fault.fromMs,
        toMs: clearedMs ?? null,
        listed: listed ?? null,
        cleared: cleared ?? null,
      }
    }),
  )
}

const LIST = 'OBD_DTC_PERMANENT'

/** Which dongle first reports the codes of that car after `afterMs` and before `untilMs`. */
function firstList(
  dongles: readonly VirtualDongle[],
  car: VirtualCar,
  afterMs: number,
  untilMs: number,
): FirstWord | undefined {
  const words = dongles
    .filter(({ cars, dongle }) => cars.includes(car) && !dongle.silentAbout.has(LIST))
    .flatMap(dongle => {
      for (const day of dongleDays(dongle, afterMs, untilMs, car)) {
        const readings = isDisturbed(dongle)
          ? disturbedDay(dongle, day).recording.readings
          : plainReadings(day, afterMs, untilMs)
        for (const reading of readings)
          if (reading.events.has(LIST) && reading.takenMs > afterMs && reading.takenMs < untilMs)
            return [{ deviceId: dongle.dongle.deviceId, timeMs: reading.timeMs }]
      }
      return []
    })
  return words.sort((a, b) => a.timeMs - b.timeMs)[0]
}

const worked = recentDays<readonly ExpectedDrive[]>(2)

/** The drives of a day as far as the dongle in the car could know of them; a silence may have cut one in two. */
function witnessedDrives(virtualDongle: VirtualDongle, dongleDay: DongleDay): readonly ExpectedDrive[] {
  return worked(virtualDongle, dongleDay.day, () => witnessedAnew(virtualDongle, dongleDay))
}

function witnessedAnew(virtualDongle: VirtualDongle, dongleDay: DongleDay): readonly ExpectedDrive[] {
  if (isDisturbed(virtualDongle)) return expectedDrives(disturbedDay(virtualDongle, dongleDay).recording)
  const { dongle } = virtualDongle
  const { car, drives } = dongleDay.plan
  // Nothing hides from a dongle that tells much and often.
  if (!dongle.tellsAllAtOnce && (sensesIgnition(dongle, car) || dongle.awareness === 'motion'))
    return drives.map(drive => expectedWhole(trueTripOf(drive), sensesIgnition(dongle, car)))
  return expectedDrives(plainRecording(dongleDay))
}
