import { sql } from '../../db/sql.ts'
import type { Fact } from '../fact.ts'
import { withStoredRoute } from '../trips/fold.ts'
import { parseState, serialiseState } from '../trips/state.ts'

/** Where the fold of a device stands, however much of the route was already moved into the row of its trip. */
export const deviceRecords: Fact = {
  name: 'device records',
  async readDerived(transaction, deviceId) {
    const checkpoints = await transaction.rows<{ name: string; fields: { state: string } }>(sql`
      select 'checkpoint ' || c.before_time as name, jsonb_build_object('state', md5(c.state)) as fields
      from fold_checkpoints c where c.device_id = ${deviceId}`)
    const folds = await transaction.rows<{ fold: string; trip_id: number | null }>(sql`
      select fold, trip_id from device_states where device_id = ${deviceId} and fold is not null`)
    return [
      ...checkpoints,
      ...folds.map(({ fold, trip_id }) => ({
        name: 'state of the fold',
        fields: { state: serialiseState(withStoredRoute(parseState(fold))), trip: trip_id },
      })),
    ]
  },
}
