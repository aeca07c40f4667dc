import { readClockMs } from '../../../db/clock.ts'
import type { LockedDevices } from '../../../db/shards/locked-devices.ts'
import { sql } from '../../../db/sql.ts'
import type { LastWork } from '../../../db/transaction.ts'
import type { DeviceId } from '../../../model/sample.ts'
import { type DeviceRecord, readDeviceRecords } from '../../device-records.ts'
import { statesOfText } from '../../fold-part.ts'
import { incidentKey } from '../derive/finding.ts'
import { incidentsPart } from '../derive/incidents-part.ts'
import { incidentsOf } from './incidents-of.ts'
import { type DecidedIncident, IS_STALE, readDecided } from './stored-incidents.ts'
import { lockShared } from './tell-once.ts'
import { type IncidentStretch, writeDifferences, writeIncidents } from './write-incidents.ts'

/**
 * Writes the incidents of stretches. Of dongles whose newest sample is old, what goes on, or has ended because they are silent, is worked
 * out last in the transaction: their rows stay as they are until then.
 */
export async function writeUnlessSilent(locked: LockedDevices, stretches: readonly IncidentStretch[]): Promise<void> {
  if (stretches.length === 0) return
  await lockShared(locked, stretches)
  const stored = await readDecided(locked.transaction, stretches)
  const stale = await staleOf(locked, stretches, stored)
  if (stale.size === 0) return writeDifferences(locked, stretches, stored)
  const decided = stretches.map(stretch =>
    stale.has(stretch.device.deviceId)
      ? { ...stretch, incidents: stretch.incidents.filter(incident => !isGoingOn(incident)) }
      : stretch,
  )
  const told = new Set(
    decided.flatMap(({ incidents }) => incidents.map(incident => `${incident.deviceId} ${incidentKey(incident)}`)),
  )
  const concerned = stored.filter(
    row => !stale.has(row.deviceId) || !isGoingOn(row) || told.has(`${row.deviceId} ${incidentKey(row)}`),
  )
  await writeDifferences(locked, decided, concerned)
  locked.transaction.leave(SILENCE, [locked.devices([...stale])])
}

/** The devices of stretches at which something is going on, or was, and whose newest sample is old. */
async function staleOf(
  locked: LockedDevices,
  stretches: readonly IncidentStretch[],
  stored: readonly DecidedIncident[],
): Promise<ReadonlySet<DeviceId>> {
  const isStale = new Map<DeviceId, boolean>()
  for (const row of stored) if (isGoingOn(row)) isStale.set(row.deviceId, row.isStale)
  const stale = new Set<DeviceId>()
  const unknown: DeviceId[] = []
  for (const { device, toMs, incidents } of stretches) {
    const { deviceId } = device
    if (toMs !== Number.POSITIVE_INFINITY) continue
    if (isStale.get(deviceId)) stale.add(deviceId)
    else if (!isStale.has(deviceId) && incidents.some(isGoingOn)) unknown.push(deviceId)
  }
  for (const deviceId of await readStale(locked, unknown)) stale.add(deviceId)
  return stale
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

/**
 * Writes what is going on at dongles if nothing more comes of them than has come until now: what their silence has ended, and their
 * silence itself where a rule asks for it. Their folds are left unchanged; later samples may show something else.
 */
export async function writeSilence(locked: LockedDevices): Promise<void> {
  const { transaction, deviceIds } = locked
  const records = await readDeviceRecords(transaction, deviceIds)
  const nowMs = await readClockMs(transaction)
  await writeIncidents(
    locked,
    [...records.values()].map(record => silentStretch(record, nowMs)),
  )
}

/** What follows from the newest samples, which the state of the fold does not include yet, and from nothing after them. */
function silentStretch(record: DeviceRecord, nowMs: number): IncidentStretch {
  const { fold, rules } = record
  const waiting = fold ? [...fold.held, ...(fold.newest ? [fold.newest] : [])] : []
  const part = incidentsPart(rules)
  const stored = statesOfText(fold?.parts).incidents
  let state = stored === undefined ? part.begin() : part.unpack(stored)
  const items = waiting.flatMap(sample => {
    const stepped = part.step(state, sample)
    state = stepped.state
    return stepped.done.map(item => ({ item, key: '', decidedMs: sample.timeMs }))
  })
  const goingOn = part.silentUntil(state, nowMs)
  const all = [...items, ...goingOn.map(item => ({ item, key: '', decidedMs: Number.POSITIVE_INFINITY }))]
  const decidedFromMs = waiting[0]?.timeMs ?? Number.POSITIVE_INFINITY
  return {
    device: record,
    decidedFromMs,
    fromMs: decidedFromMs,
    toMs: Number.POSITIVE_INFINITY,
    goingOn: [],
    incidents: incidentsOf({ device: record, items: all }),
  }
}

async function readStale({ transaction }: LockedDevices, deviceIds: readonly DeviceId[]): Promise<DeviceId[]> {
  if (deviceIds.length === 0) return []
  const rows = await transaction.rows<{ device_id: DeviceId }>(
    sql`
      select s.device_id from device_states s where s.device_id = any(${deviceIds}::bigint[]) and ${IS_STALE}`,
    { prepareAs: 'stale-devices' },
  )
  return rows.map(row => row.device_id)
}
