import { readClockMs } from '../../db/clock.ts'
import type { LockedDevices } from '../../db/shards.ts'
import { sql } from '../../db/sql.ts'
import type { LastWork } from '../../db/transaction.ts'
import type { DeviceId } from '../../model/sample.ts'
import { type DeviceRecord, readDeviceRecords } from '../device-records.ts'
import { type DecidedItem, statesOfText } from '../fold-part.ts'
import { incidentKey } from './detector.ts'
import { type IncidentsState, incidentsPart } from './incidents-fold.ts'
import { IS_STALE, incidentsOf, readDecided, STANDS, type StoredIncident } from './stored-incidents.ts'
import { lockShared } from './superseded.ts'
import { type IncidentRange, writeDifferences, writeIncidents } from './write-incidents.ts'

/** Selects devices with open incidents beyond their longest gap, and devices silent for as long as a rule asks for that
 * has not found it yet. The reason changes with their rules. */
export const SILENT_BY_RULES = sql`
  select found.device_id, concat_ws(' ', 'rules', (
    select max(b.revision) from assignments a join rule_books b on b.account_id = a.account_id
    where a.device_id = found.device_id and a.to_time = 'infinity')) as reason
  from (
    select item.device_id from incidents item join device_states s on s.device_id = item.device_id
    where item.end_time is null and ${STANDS}
      and s.last_time + item.longest_gap_s * interval '1 second' < clock_timestamp()
    union
    select a.device_id from rule_versions w
      join assignments a on a.account_id = w.account_id and a.to_time = 'infinity'
        and (w.vehicle_ids is null or a.vehicle_id = any(w.vehicle_ids))
      join device_states s on s.device_id = a.device_id
    where w.kind = 'OFFLINE' and w.from_time < w.to_time and w.from_time <= clock_timestamp()
      and s.last_time + (w.parameters ->> 'forMinutes')::float8 * interval '1 minute' <= least(w.to_time, clock_timestamp())
      and exists (
        select from rule_versions heard
        where heard.rule_id = w.rule_id and heard.from_time <= s.last_time and heard.to_time > s.last_time)
      and not exists (
        select from incidents item where item.device_id = a.device_id and item.rule_id = w.rule_id
          and item.decided_time = 'infinity' and item.deleted is null)
  ) found`

/** Writes the incidents of ranges. Those that go on at stale dongles, or ended by silence, are worked out last in the
 * transaction; their rows stay until then. */
export async function writeUnlessSilent(locked: LockedDevices, ranges: readonly IncidentRange[]): Promise<void> {
  if (ranges.length === 0) return
  await lockShared(locked, ranges)
  const stored = await readDecided(locked.transaction, ranges)
  const stale = await staleOf(locked, ranges, stored)
  if (stale.size === 0) return writeDifferences(locked, ranges, stored)
  const decided = ranges.map(range =>
    stale.has(range.device.deviceId)
      ? { ...range, incidents: range.incidents.filter(incident => !isGoingOn(incident)) }
      : range,
  )
  const keyOf = (incident: Pick<StoredIncident, 'deviceId' | 'ruleId' | 'startMs' | 'areaId' | 'detail'>) =>
    `${incident.deviceId} ${incidentKey(incident)}`
  const found = new Set(decided.flatMap(({ incidents }) => incidents.map(keyOf)))
  const concerned = stored.filter(row => !stale.has(row.deviceId) || !isGoingOn(row) || found.has(keyOf(row)))
  await writeDifferences(locked, decided, concerned)
  locked.transaction.leave(SILENCE, [locked.devices([...stale])])
}

/** The devices of ranges at which something is going on, or was, and whose newest sample is old. */
async function staleOf(
  { transaction }: LockedDevices,
  ranges: readonly IncidentRange[],
  stored: readonly (StoredIncident & { readonly isStale: boolean })[],
): Promise<ReadonlySet<DeviceId>> {
  const isStale = new Map(stored.filter(isGoingOn).map(row => [row.deviceId, row.isStale]))
  const toNewest = ranges.filter(({ toMs }) => toMs === Number.POSITIVE_INFINITY)
  const unknown = toNewest.filter(({ device, incidents }) => !isStale.has(device.deviceId) && incidents.some(isGoingOn))
  if (unknown.length > 0) {
    const rows = await transaction.rows<{ device_id: DeviceId }>(
      sql`
        select s.device_id from device_states s
        where s.device_id = any(${unknown.map(({ device }) => device.deviceId)}::bigint[]) and ${IS_STALE}`,
      { prepareAs: 'stale-devices' },
    )
    for (const { device_id } of rows) isStale.set(device_id, true)
  }
  return new Set(toNewest.flatMap(({ device }) => (isStale.get(device.deviceId) ? [device.deviceId] : [])))
}

function isGoingOn({ decidedMs }: { readonly decidedMs: number }): boolean {
  return decidedMs === Number.POSITIVE_INFINITY
}

/** Of all such devices of a transaction together. */
const SILENCE: LastWork<LockedDevices> = {
  async run(_transaction, groups) {
    const done = new Set<DeviceId>()
    for (const locked of groups) {
      const deviceIds = locked.deviceIds.filter(deviceId => !done.has(deviceId))
      for (const deviceId of deviceIds) done.add(deviceId)
      if (deviceIds.length > 0) await writeSilence(locked.devices(deviceIds))
    }
  },
}

/** Writes what is going on if nothing more comes: what silence has ended, and silences that rules ask for. Folds stay
 * unchanged; later samples may show something else. */
export async function writeSilence(locked: LockedDevices): Promise<void> {
  const { transaction, deviceIds } = locked
  const records = await readDeviceRecords(transaction, deviceIds)
  const nowMs = await readClockMs(transaction)
  await writeIncidents(
    locked,
    [...records.values()].map(record => silentRange(record, nowMs)),
  )
}

/** The incidents of the newest samples, which the state of the fold does not include yet, and of nothing after them. */
function silentRange(record: DeviceRecord, nowMs: number): IncidentRange {
  const { fold, rules } = record
  const waiting = fold ? [...fold.pending, ...(fold.newest ? [fold.newest] : [])] : []
  const part = incidentsPart(rules)
  const items: DecidedItem[] = []
  // The fold of incidents stores states of this form only.
  let state = (statesOfText(fold?.parts).incidents ?? null) as IncidentsState | null
  const add = (item: DecidedItem['item'], decidedMs: number) => items.push({ item, key: '', decidedMs })
  for (const sample of waiting) {
    const stepped = part.step(state, sample)
    state = stepped.state
    for (const item of stepped.done) add(item, sample.timeMs)
  }
  for (const item of part.silentUntil(state, nowMs)) add(item, Number.POSITIVE_INFINITY)
  return {
    device: record,
    decidedFromMs: waiting[0]?.timeMs ?? Number.POSITIVE_INFINITY,
    toMs: Number.POSITIVE_INFINITY,
    goingOn: [],
    incidents: incidentsOf({ device: record, items }),
  }
}
