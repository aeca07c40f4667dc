import { readClockMs } from '../../../db/clock.ts'
import type { HeldDevices } from '../../../db/shards/held-devices.ts'
import { sql } from '../../../db/sql.ts'
import type { LastWork } from '../../../db/transaction.ts'
import type { DeviceId } from '../../../model/sample.ts'
import { type DeviceRecord, readDeviceRecords } from '../../device-records/device-records.ts'
import { incidentKey } from '../derive/finding.ts'
import { incidentsPart } from '../derive/incidents-part.ts'
import { incidentsOf } from './incidents-of.ts'
import { readDecided, type StoredIncident } from './stored-incidents.ts'
import { lockShared } from './tell-once.ts'
import { type IncidentStretch, writeDifferences, writeIncidents } from './write-incidents.ts'

/** A dongle that reports is never silent for so long that a rule would notice. */
const STALE_MS = 30_000

/**
 * Writes the incidents of stretches. Of dongles whose newest sample is old, what goes on, or has ended because they are silent, is worked
 * out last in the transaction: their rows stay as they are until then.
 */
export async function writeUnlessSilent(held: HeldDevices, stretches: readonly IncidentStretch[]): Promise<void> {
  if (stretches.length === 0) return
  await lockShared(held, stretches)
  const stored = await readDecided(held.transaction, stretches)
  const stale = await readStale(held, mayBeSilent(stretches, stored))
  if (stale.size === 0) return writeDifferences(held, stretches, stored)
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
  await writeDifferences(held, decided, concerned)
  held.transaction.leave(SILENCE, [held.devices([...stale])])
}

/** The devices of stretches at which something is going on, or was. */
function mayBeSilent(stretches: readonly IncidentStretch[], stored: readonly StoredIncident[]): DeviceId[] {
  const wasGoingOn = new Set<DeviceId>()
  for (const row of stored) if (isGoingOn(row)) wasGoingOn.add(row.deviceId)
  const deviceIds: DeviceId[] = []
  for (const { device, toMs, incidents } of stretches)
    if (toMs === Number.POSITIVE_INFINITY && (wasGoingOn.has(device.deviceId) || incidents.some(isGoingOn)))
      deviceIds.push(device.deviceId)
  return deviceIds
}

function isGoingOn({ decidedMs }: { readonly decidedMs: number }): boolean {
  return decidedMs === Number.POSITIVE_INFINITY
}

/** Of all such devices of a transaction together. */
const SILENCE: LastWork<HeldDevices> = {
  async run(_transaction, groups) {
    const done = new Set<DeviceId>()
    for (const held of groups) {
      const deviceIds = held.deviceIds.filter(deviceId => !done.has(deviceId))
      for (const deviceId of deviceIds) done.add(deviceId)
      if (deviceIds.length > 0) await writeSilence(held.devices(deviceIds))
    }
  },
}

/**
 * Writes what is going on at dongles if nothing more comes of them than has come until now: what their silence has ended, and their
 * silence itself where a rule asks for it. Their folds are left unchanged; later samples may show something else.
 */
export async function writeSilence(held: HeldDevices): Promise<void> {
  const { transaction, deviceIds } = held
  const records = await readDeviceRecords(transaction, deviceIds)
  const nowMs = await readClockMs(transaction)
  await writeIncidents(
    held,
    [...records.values()].map(record => silentStretch(record, nowMs)),
  )
}

/** What follows from the newest samples, which the state of the fold does not include yet, and from nothing after them. */
function silentStretch(record: DeviceRecord, nowMs: number): IncidentStretch {
  const { fold, rules } = record
  const waiting = fold ? [...fold.held, ...(fold.newest ? [fold.newest] : [])] : []
  const part = incidentsPart(rules)
  const stored = fold?.parts?.incidents ?? undefined
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

async function readStale({ transaction }: HeldDevices, deviceIds: readonly DeviceId[]): Promise<ReadonlySet<DeviceId>> {
  if (deviceIds.length === 0) return new Set()
  const rows = await transaction.rows<{ device_id: DeviceId }>(
    sql`
      select device_id from device_states where device_id = any(${deviceIds}::bigint[])
        and last_time < clock_timestamp() - ${STALE_MS} * interval '1 millisecond'`,
    { prepareAs: 'stale-devices' },
  )
  return new Set(rows.map(row => row.device_id))
}
