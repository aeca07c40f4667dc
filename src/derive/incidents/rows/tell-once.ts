import { revised, unnestOf } from '../../../db/bulk-rows.ts'
import type { LockedDevice, LockedDevices } from '../../../db/shards/locked-devices.ts'
import { lockSharedVehicles } from '../../../db/shards/vehicle-shards.ts'
import { sql } from '../../../db/sql.ts'
import type { LastWork, Transaction } from '../../../db/transaction.ts'
import type { DeviceId } from '../../../model/sample.ts'
import type { ItemStretch } from '../../fact.ts'
import { writeSuperseded } from '../../superseded-rows.ts'
import { supersededIncidents } from '../derive/told-once.ts'
import { readRivalsOf, type StoredRival } from './rival-incidents.ts'
import type { IncidentRef } from './stored-incidents.ts'

/**
 * Called before incidents of these stretches are written: from then on no other dongle in one of their vehicles has its incidents
 * written, so that what is concluded at the end of the transaction rests on all of them.
 */
export async function lockShared(
  { transaction }: LockedDevices,
  stretches: readonly Pick<ItemStretch, 'device'>[],
): Promise<void> {
  await lockSharedVehicles(
    transaction,
    stretches.flatMap(({ device }) => [...device.othersUntilMs.keys()]),
  )
}

/**
 * Lets it be decided at the end of the transaction which incidents count: these, those that they count in place of, and all that tell of
 * the same events. The vehicles are locked.
 * @param incidents that were told, changed or retracted
 */
export function leaveTellingOnce(transaction: Transaction, incidents: readonly IncidentRef[]): void {
  transaction.leave(TELL_ONCE, incidents)
}

/** The incidents of other dongles in place of which those of a device count. */
export async function readSupersededBy({ transaction, deviceId }: LockedDevice): Promise<IncidentRef[]> {
  const rows = await transaction.rows<{ id: number; device_id: DeviceId }>(sql`
    select item.id, item.device_id from incidents item
    where item.superseded_by = any(array(select id from incidents where device_id = ${deviceId}))`)
  return rows.map(({ id, device_id }) => ({ id, deviceId: device_id }))
}

const TELL_ONCE: LastWork<IncidentRef> = {
  async run(transaction, incidents) {
    const rivals = await readRivalsOf(transaction, incidents)
    const byVehicle = new Map<number, StoredRival[]>()
    for (const rival of rivals) byVehicle.set(rival.vehicleId, [...(byVehicle.get(rival.vehicleId) ?? []), rival])
    const decisions = [...byVehicle.values()].flatMap(ofVehicle => {
      const superseded = supersededIncidents(ofVehicle)
      return ofVehicle.flatMap((incident): Decision[] => {
        const by = superseded.get(incident)
        return by?.id === incident.supersededBy ? [] : [{ incident, by }]
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

/** Somebody has seen the event, whichever dongle tells of it now. */
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
