import { requiredEventType } from '../../src/catalogue/event-types.ts'
import type { Database } from '../../src/db/database.ts'
import { sql } from '../../src/db/sql.ts'
import { fold } from '../../src/derive/trips/fold.ts'
import { supersededTrips } from '../../src/derive/trips/overlaps.ts'
import type { DerivedTrip } from '../../src/derive/trips/trip.ts'
import type { DeviceId, Sample } from '../../src/model/sample.ts'

/** A trip as clients see it, without what the server numbers or revisions. */
interface ShownTrip {
  readonly deviceId: number
  readonly start: string
  readonly end: string
  readonly distanceM: number
  readonly durationS: number
}

export const byStart = (a: ShownTrip, b: ShownTrip) =>
  a.start < b.start ? -1 : a.start > b.start ? 1 : a.deviceId - b.deviceId

/** @param body of GET /trips */
export function shownTrips(body = '{}'): ShownTrip[] {
  const { trips } = JSON.parse(body) as {
    trips: {
      deviceId: number
      tripStartTimestamp: string
      tripEndTimestamp: string
      distance: number
      duration: number
    }[]
  }
  return trips.map(trip => ({
    deviceId: trip.deviceId,
    start: trip.tripStartTimestamp,
    end: trip.tripEndTimestamp,
    distanceM: Math.round(trip.distance * 1000),
    durationS: trip.duration,
  }))
}

/** What the fold finds when it sees all samples of a device at once. */
export function tripsAtOnce(samples: readonly Sample[]): ShownTrip[] {
  return fold(undefined, samples).trips.map(trip => shownTrip(samples[0]?.deviceId ?? 0, trip))
}

function shownTrip(deviceId: number, { startMs, endMs, distanceM, durationS }: DerivedTrip): ShownTrip {
  return {
    deviceId,
    start: new Date(startMs).toISOString(),
    end: new Date(endMs).toISOString(),
    distanceM,
    durationS,
  }
}

/**
 * The same for several devices, without the trips in whose place those of others in the car count. Which car a device was
 * in, and which trips go on, is taken from the database.
 */
export async function countingAtOnce(
  database: Database,
  samplesByDevice: readonly (readonly Sample[])[],
): Promise<ShownTrip[]> {
  const byCar = new Map<number | undefined, (ReturnType<typeof rival> & { readonly shown: ShownTrip })[]>()
  for (const samples of samplesByDevice) {
    const [first] = samples
    if (!first) continue
    const known = await readPlaces(database, first.deviceId)
    for (const trip of fold(undefined, samples).trips) {
      const place = known.get(trip.startMs)
      const shown = shownTrip(first.deviceId, trip)
      const ofCar = byCar.get(place?.vehicleId) ?? []
      byCar.set(place?.vehicleId, [...ofCar, { ...rival(first.deviceId, trip, place?.isOpen ?? false), shown }])
    }
  }
  return [...byCar.values()].flatMap(trips => {
    const superseded = supersededTrips(trips)
    return trips.filter(trip => !superseded.has(trip)).map(({ shown }) => shown)
  })
}

function rival(deviceId: DeviceId, { startMs, endMs, meters, fixCount }: DerivedTrip, isOpen: boolean) {
  return { deviceId, startMs, endMs, isOpen, hasOdometer: MILEAGE in meters, fixCount }
}

const MILEAGE = requiredEventType('MILEAGE').id

async function readPlaces(database: Database, deviceId: DeviceId) {
  const rows = await database.rows<{ start_ms: number; vehicle_id: number; is_open: boolean }>(sql`
    select (extract(epoch from start_time) * 1000)::bigint as start_ms, vehicle_id, is_open from trips
    where device_id = ${deviceId} and (deleted is null or superseded_by is not null)`)
  return new Map(rows.map(row => [row.start_ms, { vehicleId: row.vehicle_id, isOpen: row.is_open }]))
}
