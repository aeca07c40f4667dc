import type { Connection } from '../../../store/database.ts'
import { type LatestRow, readLatestValues, type VehicleRow } from './query.ts'
import { vehicleJson } from './vehicle-json.ts'

/** Vehicles of a page as JSON, each with its latest values, which are read here. */
export async function vehicleTexts(
  connection: Connection,
  rows: readonly VehicleRow[],
  hidesPositions: boolean,
): Promise<Iterable<string>> {
  const ids = rows.filter(row => !row.is_former).map(row => row.id)
  return rendered(rows, ids.length === 0 ? [] : await readLatestValues(connection, ids), hidesPositions)
}

function* rendered(
  rows: readonly VehicleRow[],
  latest: readonly LatestRow[],
  hidesPositions: boolean,
): Generator<string> {
  const byVehicle = new Map<number, LatestRow[]>()
  for (const row of latest) {
    const known = byVehicle.get(row.vehicle_id)
    if (known) known.push(row)
    else byVehicle.set(row.vehicle_id, [row])
  }
  for (const row of rows) yield vehicleJson(row, byVehicle.get(row.id) ?? [], hidesPositions)
}
