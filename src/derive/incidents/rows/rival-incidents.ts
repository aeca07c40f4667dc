import { unnestOf } from '../../../db/bulk-rows.ts'
import { sql } from '../../../db/sql.ts'
import type { Transaction } from '../../../db/transaction.ts'
import { instantMs } from '../../../db/values.ts'
import type { DeviceId } from '../../../model/sample.ts'
import { type Span, stretchesOf } from '../../trips/derive/overlaps.ts'
import { isOfCar, type RivalIncident, reachOf } from '../derive/told-once.ts'
import { type IncidentRef, STANDS } from './stored-incidents.ts'

/** An incident, and whether it counts according to its row. */
export interface StoredRival extends RivalIncident {
  readonly id: number
  readonly vehicleId: number
  readonly supersededBy: number | undefined
  readonly isAcknowledged: boolean
}

/** What dongles may tell of in a vehicle, and when. */
interface Event extends Span {
  readonly vehicleId: number
  readonly ruleId: number
  readonly areaId: number
  readonly detail: string
}

/** All that dongles tell of the events of some incidents, and of those that these count in place of. Their vehicles are locked. */
export async function readRivalsOf(
  transaction: Transaction,
  incidents: readonly IncidentRef[],
): Promise<StoredRival[]> {
  return readRivals(transaction, await readEvents(transaction, incidents))
}

async function readEvents(transaction: Transaction, incidents: readonly IncidentRef[]): Promise<Event[]> {
  const refs = incidents.map(({ deviceId, id }) => ({ device_id: deviceId, id }))
  const rows = await transaction.rows<RivalRow>(
    sql`
      select ${COLUMNS} from ${unnestOf({ device_id: 'bigint', id: 'bigint' }, refs)}
      join incidents item on item.device_id = u.device_id and item.id = u.id where ${STANDS}
      union all
      select ${COLUMNS} from incidents item where item.superseded_by = any(${refs.map(({ id }) => id)}::bigint[])`,
    { prepareAs: 'events-told' },
  )
  return rows.map(rivalOf).flatMap(rival => (isOfCar(rival.kind) ? [eventOf(rival)] : []))
}

/** Two dongles notice an event at about the same time: with this margin, one query is mostly enough. */
const AROUND_MS = 600_000

function eventOf(rival: StoredRival): Event {
  const { vehicleId, ruleId, areaId, detail } = rival
  const { startMs, endMs } = reachOf(rival)
  return { vehicleId, ruleId, areaId, detail, startMs: startMs - AROUND_MS, endMs: endMs + AROUND_MS }
}

/** What all dongles tell of events, with what hangs together with that. Which of these count depends on nothing else. */
async function readRivals(transaction: Transaction, events: readonly Event[]): Promise<StoredRival[]> {
  if (events.length === 0) return []
  for (let wanted = joined(events); ; ) {
    const rivals = await readRivalsIn(transaction, wanted)
    const known = new Map(byKey(wanted))
    const beyond = rivals.filter(rival => {
      const { startMs, endMs } = reachOf(rival)
      return !known.get(keyOf(rival))?.some(event => startMs >= event.startMs && endMs <= event.endMs)
    })
    if (beyond.length === 0) return rivals
    wanted = joined([...wanted, ...beyond.map(eventOf)])
  }
}

function keyOf({ vehicleId, ruleId, areaId, detail }: Omit<Event, keyof Span>): string {
  return `${vehicleId} ${ruleId} ${areaId} ${detail}`
}

function byKey(events: readonly Event[]): Map<string, Event[]> {
  const groups = new Map<string, Event[]>()
  for (const event of events) groups.set(keyOf(event), [...(groups.get(keyOf(event)) ?? []), event])
  return groups
}

/** Merges overlapping times. */
function joined(events: readonly Event[]): Event[] {
  return [...byKey(events).values()].flatMap(ofKey =>
    stretchesOf(ofKey).map(stretch =>
      stretch.reduce((hull, { startMs, endMs }) => ({
        ...hull,
        startMs: Math.min(hull.startMs, startMs),
        endMs: Math.max(hull.endMs, endMs),
      })),
    ),
  )
}

/** Of one dongle, incidents of the same rule, area and detail never overlap. */
async function readRivalsIn(transaction: Transaction, events: readonly Event[]): Promise<StoredRival[]> {
  const same = sql`item.device_id = inside.device_id and item.vehicle_id = u.vehicle_id and item.rule_id = u.rule_id
    and item.area_id = u.area_id and item.detail = u.detail and ${STANDS} and not item.is_erased`
  const rows = await transaction.rows<RivalRow>(
    sql`
      select ${COLUMNS}
      from ${unnestOf(
        {
          vehicle_id: 'bigint',
          rule_id: 'integer',
          area_id: 'bigint',
          detail: 'text',
          from_time: 'timestamptz',
          to_time: 'timestamptz',
        },
        events.map(({ vehicleId, ruleId, areaId, detail, startMs, endMs }) => ({
          vehicle_id: vehicleId,
          rule_id: ruleId,
          area_id: areaId,
          detail,
          from_time: startMs,
          to_time: endMs,
        })),
      )}
      join lateral (select distinct device_id from assignments a where a.vehicle_id = u.vehicle_id) inside on true
      join lateral (
        (select * from incidents item where ${same} and item.start_time < u.from_time order by item.start_time desc limit 1)
        union all
        select * from incidents item where ${same} and item.start_time >= u.from_time and item.start_time < u.to_time
      ) item on item.end_time is null or item.end_time >= u.from_time
      order by item.start_time, item.id`,
    { prepareAs: 'rival-incidents' },
  )
  return rows.map(rivalOf)
}

const COLUMNS = sql`item.id, item.device_id, item.vehicle_id, item.rule_id, item.area_id, item.detail, item.kind,
  item.start_time, item.end_time, item.decided_time, item.has_odometer, item.start_longitude is not null as has_position,
  item.superseded_by, item.acknowledged is not null as is_acknowledged`

interface RivalRow {
  readonly id: number
  readonly device_id: DeviceId
  readonly vehicle_id: number
  readonly rule_id: number
  readonly area_id: number
  readonly detail: string
  readonly kind: string
  readonly start_time: string
  readonly end_time: string | null
  readonly decided_time: string
  readonly has_odometer: boolean
  readonly has_position: boolean
  readonly superseded_by: number | null
  readonly is_acknowledged: boolean
}

function rivalOf(row: RivalRow): StoredRival {
  return {
    id: row.id,
    deviceId: row.device_id,
    vehicleId: row.vehicle_id,
    ruleId: row.rule_id,
    areaId: row.area_id,
    detail: row.detail,
    kind: row.kind,
    startMs: instantMs(row.start_time),
    endMs: row.end_time === null ? null : instantMs(row.end_time),
    isCutShort: row.end_time !== null && row.decided_time === 'infinity',
    hasOdometer: row.has_odometer,
    hasPosition: row.has_position,
    supersededBy: row.superseded_by ?? undefined,
    isAcknowledged: row.is_acknowledged,
  }
}
