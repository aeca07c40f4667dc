import { lockSharedVehicles } from '../../db/shards.ts'
import { listOf, sql } from '../../db/sql.ts'
import { vehicleName } from '../derived-rows.ts'
import { assignmentAt } from '../device-records.ts'
import { enterHistories } from '../due.ts'
import { emptyRows } from '../empty-rows.ts'
import type { Fact } from '../fact.ts'
import { incidentsPart } from './incidents-fold.ts'
import { writeSilence, writeUnlessSilent } from './silence.ts'
import { incidentsOf, readIncidentsOf, STANDS } from './stored-incidents.ts'
import { leaveSuperseding, readSupersededBy } from './superseded.ts'
import { retractIncidents } from './write-incidents.ts'

/** The findings of the rules of accounts (docs/adr/0034). */
export const incidents: Fact = {
  name: 'incidents',
  inOrder: {
    part: ({ rules }) => (rules.assignments.length === 0 ? undefined : incidentsPart(rules)),
    write: (locked, ranges) =>
      writeUnlessSilent(
        locked,
        ranges.map(({ items, ...range }) => ({ ...range, incidents: incidentsOf({ ...range, items }) })),
      ),
  },
  silence: writeSilence,
  /** Other rules hold in another car: the dongle is folded again from where it was somewhere else. */
  async move(locked, { assignments, fromMs }) {
    const rows = await readIncidentsOf(locked.transaction, locked.deviceId)
    const wrong = rows.filter(row => {
      const assignment = assignmentAt({ assignments }, row.startMs)
      return assignment?.vehicleId !== row.vehicleId || assignment.accountId !== row.accountId
    })
    if (wrong.length > 0) {
      await lockSharedVehicles(
        locked.transaction,
        wrong.map(row => row.vehicleId),
      )
      await retractIncidents(locked, wrong)
      leaveSuperseding(locked.transaction, wrong)
    }
    const [ruled] = await locked.transaction.rows(sql`
      select from rule_books where account_id = any(${assignments.map(({ accountId }) => accountId)}::integer[])`)
    if (ruled || rows.length > 0) await enterHistories(locked.transaction, [{ deviceId: locked.deviceId, fromMs }])
  },
  async erase(locked) {
    leaveSuperseding(locked.transaction, await readSupersededBy(locked))
    await emptyRows(locked, sql`incidents`, NOTHING)
  },
  readDerived: (transaction, deviceId) =>
    transaction.rows(sql`
      select concat_ws(' ', 'incident', item.kind, 'of rule', item.rule_id, item.start_time, item.area_id, item.detail) as name,
        to_jsonb(item) - array['id', 'modified', 'vehicle_id', 'acknowledged', 'acknowledged_by', 'note', 'start_address_id',
          'end_address_id', 'deleted'] || jsonb_build_object('vehicle', ${vehicleName(deviceId)}) as fields
      from incidents item join vehicles v on v.id = item.vehicle_id
      where item.device_id = ${deviceId} and ${STANDS}`),
}

const NOTHING = listOf([
  sql`start_time = clock.now`,
  sql`end_time = clock.now`,
  sql`decided_time = clock.now`,
  sql`deleted = clock.now`,
  sql`superseded_by = null`,
  sql`is_erased = true`,
  sql`area_id = 0`,
  sql`detail = ''`,
  sql`peak = null`,
  sql`peak_time = null`,
  sql`start_longitude = null`,
  sql`start_latitude = null`,
  sql`end_longitude = null`,
  sql`end_latitude = null`,
  sql`start_address_id = null`,
  sql`end_address_id = null`,
  sql`note = null`,
])
