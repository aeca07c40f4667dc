import type { Database } from '../src/db/database.ts'
import { type Statement, sql } from '../src/db/sql.ts'
import { type Transaction, writeTransaction } from '../src/db/transaction.ts'
import { touchTrips } from '../src/derive/trips/shared-cars.ts'

/** Rows as the intake and the derivation leave them, each with a revision of its own. */
export interface FleetRows {
  /** A dongle and the car it is in. */
  vehicle(accountId: number, vehicle: { deviceId: number; vin?: string }): Promise<VehicleRows>
  trip(vehicle: VehicleRows, trip: TripRow): Promise<string>
  dtc(vehicle: VehicleRows, dtc: DtcRow): Promise<string>
  incident(vehicle: VehicleRows, incident: IncidentRow): Promise<string>
  /** One that was looked up; without texts, nothing is known there. */
  address(address: { lat: number; lon: number; texts?: object }): Promise<number>
  /** Runs a statement that is given a revision. */
  change(statement: (revision: string) => Statement): Promise<void>
}

export interface VehicleRows {
  readonly accountId: number
  readonly deviceId: number
  readonly vehicleId: number
  readonly publicId: string
}

interface TripRow {
  readonly start: string
  /** An hour after the start, when left out. */
  readonly end?: string
  readonly isOpen?: boolean
  readonly metres?: number
  readonly seconds?: number
  readonly startAddressId?: number
  readonly endAddressId?: number
  readonly meters?: object
  readonly polyline?: string
  readonly deleted?: string
}

interface DtcRow {
  readonly recorded: string
  readonly code?: string
  readonly ecuTypeId?: number
  readonly type?: 'PERMANENT' | 'SPORADIC' | 'FREEZEFRAME'
  readonly deleted?: string
}

interface IncidentRow {
  readonly ruleId: string
  readonly start: string
  readonly startAddressId?: number
}

export function fleetRows(database: Database): FleetRows {
  const insert = (
    statement: (revision: string) => Statement,
    andThen: (transaction: Transaction) => Promise<void> = async () => {},
  ) =>
    writeTransaction(database, async transaction => {
      const [row] = await transaction.rows<{ id: number }>(statement(await transaction.takeRevisions(1)))
      await andThen(transaction)
      return row?.id ?? 0
    })
  return {
    async vehicle(accountId, { deviceId, vin }) {
      await insert(revision => sql`insert into devices (id, modified) values (${deviceId}, ${revision}) returning id`)
      const vehicleId = await insert(
        revision => sql`
          insert into vehicles (account_id, first_device_id, vin, modified)
          values (${accountId}, ${deviceId}, ${vin ?? null}, ${revision}) returning id`,
      )
      await insert(
        () => sql`
          insert into assignments (device_id, account_id, vehicle_id)
          values (${deviceId}, ${accountId}, ${vehicleId}) returning device_id as id`,
      )
      return { accountId, deviceId, vehicleId, publicId: vin === undefined ? `IMEI_${deviceId}` : `VIN${vin}` }
    },
    async trip(vehicle, trip) {
      const end = trip.end ?? new Date(Date.parse(trip.start) + 3_600_000).toISOString()
      const id = await insert(
        revision => sql`
          insert into trips (device_id, account_id, vehicle_id, start_time, end_time, is_open, distance_m, duration_s,
            start_address_id, end_address_id, meters, polyline, deleted, modified)
          values (${vehicle.deviceId}, ${vehicle.accountId}, ${vehicle.vehicleId}, ${trip.start}, ${end},
            ${trip.isOpen ?? false}, ${trip.metres ?? 1000}, ${trip.seconds ?? 60}, ${trip.startAddressId ?? null},
            ${trip.endAddressId ?? null}, ${JSON.stringify(trip.meters ?? {})}, ${trip.polyline ?? ''},
            ${trip.deleted ?? null}, ${revision}) returning id`,
        async transaction => touchTrips(transaction, [{ ...vehicle, timeMs: Date.parse(trip.start) }]),
      )
      return String(id)
    },
    async dtc(vehicle, dtc) {
      const code = dtc.code ?? 'P0301'
      const id = await insert(
        revision => sql`
          insert into dtcs (device_id, account_id, vehicle_id, ecu_type_id, code, encoded, encoding, dtc_type,
            recorded, deleted, modified)
          values (${vehicle.deviceId}, ${vehicle.accountId}, ${vehicle.vehicleId}, ${dtc.ecuTypeId ?? 0}, ${code},
            ${code.slice(1)}, 'PCODE', ${dtc.type ?? 'PERMANENT'}, ${dtc.recorded}, ${dtc.deleted ?? null}, ${revision})
          returning id`,
      )
      return String(id)
    },
    async incident(vehicle, { ruleId, start, startAddressId }) {
      const id = await insert(
        revision => sql`
          insert into incidents (device_id, account_id, vehicle_id, rule_id, rule_version, kind, severity, start_time,
            end_time, decided_time, longest_gap_s, start_longitude, start_latitude, start_address_id, modified)
          values (${vehicle.deviceId}, ${vehicle.accountId}, ${vehicle.vehicleId}, ${ruleId}, 1, 'IDLING', 'info', ${start},
            ${start}, ${start}, 600, 8.4037, 49.0069, ${startAddressId ?? null}, ${revision})
          returning id`,
      )
      return String(id)
    },
    address: ({ lat, lon, texts = {} }) =>
      insert(
        () =>
          sql`
            insert into addresses (lat, lon, texts, found)
            values (${lat}, ${lon}, ${JSON.stringify(texts)}, clock_timestamp()) returning id`,
      ),
    async change(statement) {
      await insert(statement)
    },
  }
}
