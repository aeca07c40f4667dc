import type { HiddenEventTypes } from '../../../catalogue/permissions.ts'
import type { Connection } from '../../../db/database.ts'
import { type LatestRow, readLatestValues, type VehicleRow } from './query.ts'
import { type LastEventSelection, selectLastEvents } from './selection.ts'
import { vehicleJson } from './vehicle-json.ts'

/**
 * Vehicles of a page as JSON, each with its latest values, which are read here.
 * @param lastEventTypes the types of its lastEvents; all when undefined
 */
export async function vehicleTexts(
  connection: Connection,
  rows: readonly VehicleRow[],
  hidden: HiddenEventTypes,
  lastEventTypes?: readonly string[],
): Promise<Iterable<string>> {
  const selection = selectLastEvents(lastEventTypes, hidden)
  const ids = rows.filter(row => !row.is_former).map(row => row.id)
  return rendered(rows, await readLatestValues(connection, ids, selection.types), selection)
}

function* rendered(
  rows: readonly VehicleRow[],
  latest: readonly LatestRow[],
  selection: LastEventSelection,
): Generator<string> {
  const byVehicle = new Map<number, LatestRow[]>()
  for (const row of latest) {
    const known = byVehicle.get(row.vehicle_id)
    if (known) known.push(row)
    else byVehicle.set(row.vehicle_id, [row])
  }
  for (const row of rows) yield vehicleJson(row, byVehicle.get(row.id) ?? [], selection)
}
