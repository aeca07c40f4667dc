import type { DeviceId, Position } from '../../../src/model/sample.ts'
import { type Fault, sensesIgnition } from '../dongle.ts'
import { type Drive, motionAt } from '../drive-plan.ts'
import { type ExpectedDrive, expectedDrives, expectedWhole } from '../expected-drives.ts'
import { trueTripOf } from '../recording.ts'
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
  readonly distanceM: number
  readonly startPosition: Position
  readonly endPosition: Position
}

export interface WitnessedPath extends FleetPath {
  readonly deviceId: DeviceId
  readonly toldMs: number
  readonly earliestStartMs: number
  readonly latestEndMs: number
  readonly mostM: number
  /** false: its records do not show that the car was driven, so it is right to find the drive, and right not to. */
  readonly isSure: boolean
  /** A single trip for this and the next drive is right, too, if the car stands for less than this between them. */
  readonly joinsNextBelowMs: number
  readonly faults: readonly FleetFault[]
}

export interface FleetTrip extends FleetPath {
  readonly vin: string
  /** It began in the time that was asked for, too. */
  readonly isWhole: boolean
  readonly witnessed: WitnessedPath | null
  /** The rest that the dongle could know of it after a silence that cuts a trip. */
  readonly witnessedAfterSilence: readonly WitnessedPath[]
}

interface FleetStint {
  readonly deviceId: DeviceId
  readonly vin: string
  readonly fromMs: number
  readonly toMs: number
}

interface FleetTruth {
  readonly fromMs: number
  readonly toMs: number
  /** Those of which the dongle had sent all in that time; without a dongle, those that ended in it. By their ends. */
  readonly trips: readonly FleetTrip[]
  readonly faultCodes: readonly FleetFaultCode[]
  readonly stints: readonly FleetStint[]
  readonly drivenM: number
  readonly drivenMByVin: Readonly<Record<string, number>>
}

interface Begun {
  readonly afterMs?: number
  readonly beforeMs?: number
}

/**
 * Works out what happened to all cars of the dongles. Trips and kilometres of a time are those of its parts, however it is cut.
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

const LONGEST_UNTOLD_MS = DAY_MS

const keyOf = ({ car }: VirtualCar, { startMs }: Drive) => `${car.vin} ${startMs}`

function drivesAround(car: VirtualCar, fromMs: number, toMs: number, isAsked: (drive: Drive) => boolean): Drive[] {
  const firstDay = dayAt(car, fromMs - LONGEST_UNTOLD_MS)
  return Array.from({ length: dayAt(car, toMs) - firstDay + 1 }, (_, i) => planCarDay(car, firstDay + i))
    .flatMap(({ drives }) => drives)
    .filter(isAsked)
}

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

interface FirstWord {
  readonly deviceId: DeviceId
  readonly timeMs: number
}

export interface FleetFaultCode {
  readonly vin: string
  readonly code: string
  readonly kind: Fault['kind']
  readonly fromMs: number
  readonly toMs: number | null
  readonly listed: FirstWord | null
  readonly cleared: FirstWord | null
}

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
