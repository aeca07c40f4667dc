import type { DeviceId, Position } from '../../intake/sample.ts'
import type { Fault } from '../car.ts'
import { type TrueTrip, trueTripOf } from '../truth.ts'
import { dayAt, planCarDay } from './car-day.ts'
import { type DongleDay, dongleDays, plainRecording } from './dongle-day.ts'
import { DONGLE_KINDS } from './dongle-kinds.ts'
import { faultsBetween } from './fault-codes.ts'
import type { VirtualCar, VirtualDongle } from './virtual-fleet.ts'

/** A drive, or the part of it that a dongle could know of. */
export interface FleetPath {
  readonly startMs: number
  readonly endMs: number
  /** Along the road. */
  readonly distanceM: number
  readonly startPosition: Position
  readonly endPosition: Position
}

export interface FleetTrip extends FleetPath {
  readonly vin: string
  /** Neither its start nor its end lies outside of the time that was asked for; else the parts within are told. */
  readonly isWhole: boolean
  /** What the dongle in the car could know of it; null when there was none. */
  readonly witnessed: (FleetPath & { readonly deviceId: DeviceId }) | null
}

export interface FleetFaultCode {
  readonly vin: string
  readonly code: string
  readonly kind: Fault['kind']
  readonly fromMs: number
  /** null while it is stored. */
  readonly toMs: number | null
}

/** The time in which a dongle was in a car. */
export interface FleetStint {
  readonly deviceId: DeviceId
  readonly vin: string
  readonly fromMs: number
  readonly toMs: number
}

/** What really happened after `fromMs` up to `toMs`. Plain data: what is written to a file as JSON comes back the same. */
export interface FleetTruth {
  readonly fromMs: number
  readonly toMs: number
  /** By start. */
  readonly trips: readonly FleetTrip[]
  readonly faultCodes: readonly FleetFaultCode[]
  readonly stints: readonly FleetStint[]
  readonly drivenM: number
  readonly drivenMByVin: Readonly<Record<string, number>>
}

/** Works out what happened to all cars of the dongles. */
export function truthBetween(dongles: readonly VirtualDongle[], fromMs: number, toMs: number): FleetTruth {
  const cars = [...new Set(dongles.flatMap(dongle => dongle.cars))]
  const witnesses = new Map<string, { readonly deviceId: DeviceId; readonly trips: ReadonlyMap<number, TrueTrip> }>()
  const stints: FleetStint[] = []
  for (const dongle of dongles)
    for (const day of dongleDays(dongle, fromMs, toMs)) {
      const { deviceId } = dongle.dongle
      witnesses.set(keyOf(day.virtualCar, day.day), { deviceId, trips: witnessedTrips(dongle, day) })
      addStint(stints, deviceId, day, fromMs, toMs)
    }
  const trips = cars
    .flatMap(car => {
      const found: FleetTrip[] = []
      for (let day = dayAt(car, fromMs); day <= dayAt(car, toMs); day++) {
        const witness = witnesses.get(keyOf(car, day))
        for (const drive of planCarDay(car, day).drives) {
          if (drive.endMs <= fromMs || drive.startMs > toMs) continue
          const within = (trip: TrueTrip) => pathOf(trip, fromMs, toMs)
          const trip = witness?.trips.get(drive.startMs)
          const seen = trip && isSeen(trip, fromMs, toMs) ? within(trip) : undefined
          found.push({
            vin: car.car.vin,
            isWhole: drive.startMs > fromMs && drive.endMs <= toMs,
            ...within(trueTripOf(drive)),
            witnessed: witness && seen ? { deviceId: witness.deviceId, ...seen } : null,
          })
        }
      }
      return found
    })
    .sort((a, b) => a.startMs - b.startMs)
  const drivenMByVin = Object.fromEntries(
    cars.map(({ car: { vin } }) => [vin, sumOf(trips.filter(trip => trip.vin === vin))]),
  )
  return { fromMs, toMs, trips, faultCodes: codesOf(cars, fromMs, toMs), stints, drivenM: sumOf(trips), drivenMByVin }
}

const keyOf = ({ car }: VirtualCar, day: number) => `${car.vin} ${day}`
const sumOf = (trips: readonly FleetTrip[]) => trips.reduce((sum, { distanceM }) => sum + distanceM, 0)
const isSeen = (trip: TrueTrip, fromMs: number, toMs: number) => trip.endMs > fromMs && trip.startMs <= toMs

function witnessedTrips({ kind }: VirtualDongle, day: DongleDay): ReadonlyMap<number, TrueTrip> {
  const feelsMotionOnly = DONGLE_KINDS[kind].awareness === 'motion'
  return new Map(
    plainRecording(day).truth.trips.map(trip => [
      trip.drive.startMs,
      feelsMotionOnly ? { ...trip, startMs: trip.movesFromMs, endMs: trip.movesUntilMs } : trip,
    ]),
  )
}

function pathOf({ drive, startMs, endMs }: TrueTrip, fromMs: number, toMs: number): FleetPath {
  const trip = trueTripOf(drive, Math.max(startMs, fromMs), Math.min(endMs, toMs))
  return {
    startMs: trip.startMs,
    endMs: trip.endMs,
    distanceM: trip.distanceM,
    startPosition: trip.startPosition,
    endPosition: trip.endPosition,
  }
}

function addStint(
  stints: FleetStint[],
  deviceId: DeviceId,
  { virtualCar, plan }: DongleDay,
  fromMs: number,
  toMs: number,
) {
  const last = stints.at(-1)
  const { vin } = virtualCar.car
  const stint = { deviceId, vin, fromMs: Math.max(fromMs, plan.fromMs), toMs: Math.min(toMs, plan.toMs) }
  if (last?.deviceId === deviceId && last.vin === vin && last.toMs === stint.fromMs)
    stints[stints.length - 1] = { ...last, toMs: stint.toMs }
  else stints.push(stint)
}

function codesOf(cars: readonly VirtualCar[], fromMs: number, toMs: number): FleetFaultCode[] {
  return cars.flatMap(car =>
    faultsBetween(car, fromMs, toMs).map(fault => ({
      vin: car.car.vin,
      code: fault.code,
      kind: fault.kind,
      fromMs: fault.fromMs,
      toMs: fault.toMs === undefined || fault.toMs > toMs ? null : fault.toMs,
    })),
  )
}
