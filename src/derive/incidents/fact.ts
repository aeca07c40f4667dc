import { lockSharedVehicles } from '../../db/shards/vehicle-shards.ts'
import { listOf, sql } from '../../db/sql.ts'
import { vehicleName } from '../derived-rows.ts'
import { assignmentAt } from '../device-records.ts'
import { enterHistories } from '../due.ts'
import { emptyRows } from '../empty-rows.ts'
import type { Fact, ItemStretch } from '../fact.ts'
import { incidentsPart } from './derive/incidents-part.ts'
import { incidentsOf } from './rows/incidents-of.ts'
import { itemsToWrite } from './rows/items-to-write.ts'
import { writeSilence, writeUnlessSilent } from './rows/silence.ts'
import { type Incident, readIncidentsOf, STANDS } from './rows/stored-incidents.ts'
import { leaveTellingOnce, readSupersededBy } from './rows/tell-once.ts'
import { type IncidentStretch, retractIncidents, tellIncidents } from './rows/write-incidents.ts'

/** What the rules of accounts found (docs/adr/0034). */
export const incidents: Fact = {
  name: 'incidents',
  inOrder: {
    part: ({ rules }) => incidentsPart(rules),
    isIdle: ({ rules }) => rules.assignments.length === 0,
    async write(held, stretches) {
      const compared: IncidentStretch[] = []
      const known: Incident[] = []
      for (const stretch of stretches) {
        const items = itemsToWrite(stretch)
        if (items) known.push(...incidentsOf({ device: stretch.device, items }))
        else compared.push(incidentStretch(stretch))
      }
      await writeUnlessSilent(held, compared)
      await tellIncidents(held, known)
    },
  },
  silence: writeSilence,
  /** What a car's rules found is another thing in another car: the dongle is folded again from where it was somewhere else. */
  async move(held, { assignments, fromMs }) {
    const rows = await readIncidentsOf(held.transaction, held.deviceId)
    const wrong = rows.filter(row => {
      const assignment = assignmentAt({ assignments }, row.startMs)
      return assignment?.vehicleId !== row.vehicleId || assignment.accountId !== row.accountId
    })
    if (wrong.length > 0) {
      await lockSharedVehicles(
        held.transaction,
        wrong.map(row => row.vehicleId),
      )
      await retractIncidents(held, wrong)
      leaveTellingOnce(held.transaction, wrong)
    }
    const [ruled] = await held.transaction.rows(sql`
      select from rule_books where account_id = any(${assignments.map(({ accountId }) => accountId)}::integer[])`)
    if (ruled || rows.length > 0) await enterHistories(held.transaction, [{ deviceId: held.deviceId, fromMs }])
  },
  async erase(held) {
    leaveTellingOnce(held.transaction, await readSupersededBy(held))
    await emptyRows(held, sql`incidents`, NOTHING)
  },
  readDerived: (transaction, deviceId) =>
    transaction.rows(sql`
      select concat_ws(' ', 'incident', item.kind, 'of rule', item.rule_id, item.start_time, item.area_id, item.detail) as name,
        to_jsonb(item) - array['id', 'modified', 'vehicle_id', 'acknowledged', 'acknowledged_by', 'note', 'start_address_id',
          'end_address_id', 'deleted'] || jsonb_build_object('vehicle', ${vehicleName(deviceId)}) as fields
      from incidents item join vehicles v on v.id = item.vehicle_id
      where item.device_id = ${deviceId} and ${STANDS}`),
}

function incidentStretch(stretch: ItemStretch): IncidentStretch {
  const { device, decidedFromMs, fromMs, toMs, goingOn } = stretch
  return { device, decidedFromMs, fromMs, toMs, goingOn, incidents: incidentsOf(stretch) }
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
