import type { RuleKindName } from '../../catalogue/rule-kinds/index.ts'
import { revised, unnestOf } from '../../db/bulk-rows.ts'
import { type LockedDevice, type LockedDevices, lockSharedVehicles } from '../../db/shards.ts'
import { sql } from '../../db/sql.ts'
import type { LastWork, Transaction } from '../../db/transaction.ts'
import { grouped } from '../../model/grouped.ts'
import type { DeviceId } from '../../model/sample.ts'
import type { FoldedRange } from '../fact.ts'
import { writeSuperseded } from '../superseded-rows.ts'
import { hullsOf, type Span, stretchesOf } from '../trips/overlaps.ts'
import { type IncidentRef, STANDS } from './stored-incidents.ts'

/** All of an incident that decides whether it counts beside those of other dongles in the car. */
export interface RivalIncident {
  readonly deviceId: DeviceId
  readonly ruleId: number
  readonly kind: string
  /** 0: none. */
  readonly areaId: number
  /** Empty: nothing. */
  readonly detail: string
  readonly startMs: number
  /** null while it goes on. */
  readonly endMs: number | null
  /** It ended only because its dongle fell silent. */
  readonly isCutShort: boolean
  /** The dongle knew the odometer of the car. */
  readonly hasOdometer: boolean
  readonly hasPosition: boolean
}

/** They are of the dongle, not of its car: that a second one fell silent is news. */
const OF_DONGLE: readonly string[] = ['OFFLINE', 'UNPLUGGED'] satisfies readonly RuleKindName[]
/** Their detail is a value that a car reaches once, however much later another dongle notices. */
const REACHED_ONCE: readonly string[] = [
  'SERVICE_DUE_KM',
  'SERVICE_DUE_HOURS',
  'SERVICE_DUE_DATE',
] satisfies readonly RuleKindName[]
/** Clocks of two dongles differ by as much, so what is so close may be one event. */
const CLOCKS_MS = 60_000

/** Incidents of a kind are of the car, so that two dongles can find one event. */
export function isOfCar(kind: string): boolean {
  return !OF_DONGLE.includes(kind)
}

/** The time in which another incident of the same rule, area and detail is of the same event. */
function reachOf({ kind, startMs, endMs }: Pick<RivalIncident, 'kind' | 'startMs' | 'endMs'>): Span {
  if (REACHED_ONCE.includes(kind)) return { startMs: Number.NEGATIVE_INFINITY, endMs: Number.POSITIVE_INFINITY }
  return { startMs, endMs: (endMs ?? Number.POSITIVE_INFINITY) + CLOCKS_MS }
}

/** Of incidents that several dongles in a vehicle find of one event, one counts (docs/adr/0034): the best measured.
 * Depends on the set only. @returns those that do not count, each with the best one in its place */
export function supersededIncidents<Incident extends RivalIncident>(
  incidents: readonly Incident[],
): Map<Incident, Incident> {
  const superseded = new Map<Incident, Incident>()
  for (const ofEvent of eventsOf(incidents.filter(({ kind }) => isOfCar(kind))))
    for (const stretch of stretchesOf(ofEvent.map(incident => ({ ...reachOf(incident), incident })))) {
      const counting: (typeof stretch)[number][] = []
      for (const each of stretch.sort((a, b) => byMeasurement(a.incident, b.incident))) {
        const better = counting.find(other => other.incident.deviceId !== each.incident.deviceId && meet(other, each))
        if (better) superseded.set(each.incident, better.incident)
        else counting.push(each)
      }
    }
  return superseded
}

function meet(a: Span, b: Span): boolean {
  return a.startMs < b.endMs && b.startMs < a.endMs
}

function eventsOf<Incident extends RivalIncident>(incidents: readonly Incident[]): Incident[][] {
  const events = new Map<string, Incident[]>()
  for (const incident of incidents) {
    const key = `${incident.ruleId} ${incident.areaId} ${incident.detail}`
    const known = events.get(key)
    if (known) known.push(incident)
    else events.set(key, [incident])
  }
  return [...events.values()]
}

/** The better measured one first, by nothing that changes with each sample: two dongles that report in turn must not swap all the time. */
function byMeasurement(a: RivalIncident, b: RivalIncident): number {
  const byStart = a.startMs - b.startMs
  return (
    (REACHED_ONCE.includes(a.kind) ? byStart : 0) ||
    Number(a.isCutShort) - Number(b.isCutShort) ||
    Number(b.hasOdometer) - Number(a.hasOdometer) ||
    Number(b.hasPosition) - Number(a.hasPosition) ||
    a.deviceId - b.deviceId ||
    byStart
  )
}

/** Before incidents of these ranges are written: no other dongle in one of their vehicles has its incidents written meanwhile. */
export async function lockShared(
  { transaction }: LockedDevices,
  ranges: readonly Pick<FoldedRange, 'device'>[],
): Promise<void> {
  await lockSharedVehicles(
    transaction,
    ranges.flatMap(({ device }) => [...device.othersUntilMs.keys()]),
  )
}

/** The end of the transaction decides which of the same events count. The vehicles are locked.
 * @param incidents also retracted */
export function leaveSuperseding(transaction: Transaction, incidents: readonly IncidentRef[]): void {
  transaction.leave(SUPERSEDING, incidents)
}

/** The incidents of other dongles in place of which those of a device count. */
export async function readSupersededBy({ transaction, deviceId }: LockedDevice): Promise<IncidentRef[]> {
  const rows = await transaction.rows<{ id: number; device_id: DeviceId }>(sql`
    select item.id, item.device_id from incidents item
    where item.superseded_by = any(array(select id from incidents where device_id = ${deviceId}))`)
  return rows.map(({ id, device_id }) => ({ id, deviceId: device_id }))
}

const SUPERSEDING: LastWork<IncidentRef> = {
  async run(transaction, incidents) {
    const rivals = await readRivalsOf(transaction, incidents)
    const byVehicle = grouped(rivals, ({ vehicleId }) => vehicleId)
    const decisions = [...byVehicle.values()].flatMap(ofVehicle => {
      const superseded = supersededIncidents(ofVehicle)
      return ofVehicle.flatMap((incident): Decision[] => {
        const by = superseded.get(incident)
        return (by?.id ?? null) === incident.supersededBy ? [] : [{ incident, by }]
      })
    })
    await writeSuperseded(
      transaction,
      'incidents',
      decisions.map(({ incident: { deviceId, id }, by }) => ({ deviceId, id, by: by?.id })),
    )
    await passOnAcknowledgements(transaction, decisions)
  },
}

interface Decision {
  readonly incident: StoredRival
  /** The incident that counts in its place; undefined when it counts. */
  readonly by: StoredRival | undefined
}

/** Somebody has seen the event, whichever dongle's incident counts now. */
async function passOnAcknowledgements(transaction: Transaction, decisions: readonly Decision[]): Promise<void> {
  const seenBy = new Map<StoredRival, StoredRival>()
  for (const { incident, by } of decisions)
    if (by && incident.isAcknowledged && !by.isAcknowledged && !seenBy.has(by)) seenBy.set(by, incident)
  if (seenBy.size === 0) return
  const rows = await revised(
    transaction,
    [...seenBy].map(([by, seen]) => ({
      device_id: by.deviceId,
      id: by.id,
      seen_device_id: seen.deviceId,
      seen_id: seen.id,
    })),
  )
  await transaction.rows(sql`
    update incidents item set acknowledged = seen.acknowledged, acknowledged_by = seen.acknowledged_by, note = seen.note,
      modified = u.modified
    from ${unnestOf(
      {
        device_id: 'bigint',
        id: 'bigint',
        seen_device_id: 'bigint',
        seen_id: 'bigint',
        modified: 'timestamptz',
      },
      rows,
    )} join incidents seen on seen.device_id = u.seen_device_id and seen.id = u.seen_id
    where item.device_id = u.device_id and item.id = u.id`)
}

/** An incident, and whether it counts according to its row. */
interface StoredRival extends RivalIncident {
  readonly id: number
  readonly vehicleId: number
  readonly supersededBy: number | null
  readonly isAcknowledged: boolean
}

/** An event that dongles in a vehicle may have found, and when. */
interface CarEvent extends Span {
  readonly vehicleId: number
  readonly ruleId: number
  readonly areaId: number
  readonly detail: string
}

/** All incidents of the events of some incidents, and of the events of those in whose place they count. Their vehicles are locked. */
async function readRivalsOf(transaction: Transaction, incidents: readonly IncidentRef[]): Promise<StoredRival[]> {
  return readRivals(transaction, await readEvents(transaction, incidents))
}

async function readEvents(transaction: Transaction, incidents: readonly IncidentRef[]): Promise<CarEvent[]> {
  const refs = incidents.map(({ deviceId, id }) => ({ device_id: deviceId, id }))
  const rows = await transaction.rows<StoredRival>(
    sql`
      select ${COLUMNS} from ${unnestOf({ device_id: 'bigint', id: 'bigint' }, refs)}
      join incidents item on item.device_id = u.device_id and item.id = u.id where ${STANDS}
      union all
      select ${COLUMNS} from incidents item where item.superseded_by = any(${refs.map(({ id }) => id)}::bigint[])`,
    { prepareAs: 'events-of-incidents' },
  )
  return rows.filter(({ kind }) => isOfCar(kind)).map(eventOf)
}

/** Two dongles notice an event at about the same time: with this margin, one query is mostly enough. */
const AROUND_MS = 600_000

function eventOf(rival: StoredRival): CarEvent {
  const { vehicleId, ruleId, areaId, detail } = rival
  const { startMs, endMs } = reachOf(rival)
  return { vehicleId, ruleId, areaId, detail, startMs: startMs - AROUND_MS, endMs: endMs + AROUND_MS }
}

/** The incidents of all dongles about events, with those that overlap them in turn. Which of these count depends on nothing else. */
async function readRivals(transaction: Transaction, events: readonly CarEvent[]): Promise<StoredRival[]> {
  if (events.length === 0) return []
  for (let wanted = joined(events); ; ) {
    const rivals = await readRivalsIn(transaction, wanted)
    const known = new Map(grouped(wanted, keyOf))
    const beyond = rivals.filter(rival => {
      const { startMs, endMs } = reachOf(rival)
      return !known.get(keyOf(rival))?.some(event => startMs >= event.startMs && endMs <= event.endMs)
    })
    if (beyond.length === 0) return rivals
    wanted = joined([...wanted, ...beyond.map(eventOf)])
  }
}

function keyOf({ vehicleId, ruleId, areaId, detail }: Omit<CarEvent, keyof Span>): string {
  return `${vehicleId} ${ruleId} ${areaId} ${detail}`
}

/** Merges overlapping times. */
function joined(events: readonly CarEvent[]): CarEvent[] {
  return [...grouped(events, keyOf).values()].flatMap(hullsOf)
}

/** Of one dongle, incidents of the same rule, area and detail never overlap. */
async function readRivalsIn(transaction: Transaction, events: readonly CarEvent[]): Promise<StoredRival[]> {
  const same = sql`item.device_id = inside.device_id and item.vehicle_id = u.vehicle_id and item.rule_id = u.rule_id
    and item.area_id = u.area_id and item.detail = u.detail and ${STANDS} and not item.is_erased`
  return transaction.rows<StoredRival>(
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
}

const COLUMNS = sql`item.id, item.device_id as "deviceId", item.vehicle_id as "vehicleId", item.rule_id as "ruleId",
  item.area_id as "areaId", item.detail, item.kind, round(date_part('epoch', item.start_time) * 1000) as "startMs",
  round(date_part('epoch', item.end_time) * 1000) as "endMs",
  item.end_time is not null and item.decided_time = 'infinity' as "isCutShort", item.has_odometer as "hasOdometer",
  item.start_longitude is not null as "hasPosition", item.superseded_by as "supersededBy",
  item.acknowledged is not null as "isAcknowledged"`
