import type { DeviceId } from '../../../intake/sample.ts'
import { sql } from '../../sql.ts'
import type { Transaction } from '../../transaction.ts'
import { lockVins } from '../public-ids.ts'
import type { DeviceEntry, EntryProblem } from './device-entry.ts'
import { readKnownFleet } from './known-fleet.ts'
import { planEntries } from './plan-entries.ts'
import { addDongles, changeCars, changeHardware } from './write-entries.ts'

/** What became of entries: how many dongles were made or have a changed car, or why nothing was done. */
export type EntryOutcome =
  | { readonly kind: 'entered'; readonly added: number; readonly updated: number; readonly unchanged: number }
  | { readonly kind: 'refused'; readonly problems: readonly EntryProblem[] }

export interface EntryOptions {
  /** Where a new dongle joins that names no account. */
  readonly firstAccountId: number
  /** Waits until this transaction is the only writer of these devices, and what waited of them is worked out. */
  readonly hold: (deviceIds: readonly DeviceId[]) => Promise<void>
  /** Refuses dongles that exist. */
  readonly onlyNew?: boolean
}

/**
 * Enters dongles and their cars, all or none. The same entries again change nothing.
 * @param entries each dongle once
 */
export async function enterDevices(
  transaction: Transaction,
  entries: readonly DeviceEntry[],
  { firstAccountId, hold, onlyNew }: EntryOptions,
): Promise<EntryOutcome> {
  const deviceIds = entries.map(entry => entry.deviceId)
  const readers = await readReaders(transaction, entries)
  await hold([...new Set([...deviceIds, ...readers])])
  const accountIds = new Set(entries.map(entry => entry.accountId ?? firstAccountId))
  for (const accountId of await readAccountsOf(transaction, deviceIds)) accountIds.add(accountId)
  for (const accountId of [...accountIds].sort((a, b) => a - b)) await lockVins(transaction, accountId)
  // Only now nobody else gives or takes VINs.
  const known = await readKnownFleet(transaction, entries)
  const existing = onlyNew ? entries.filter(entry => known.devices.has(entry.deviceId)) : []
  const plan = planEntries(entries, known, firstAccountId)
  const problems = existing.length > 0 ? existing.map(entry => isThere(entry)) : plan.problems
  if (problems.length > 0) return { kind: 'refused', problems }
  await addDongles(transaction, plan.added)
  await changeCars(transaction, plan.cars)
  await changeHardware(transaction, plan.hardware)
  const newVins = plan.added.flatMap(({ entry, vehicleId }) =>
    vehicleId === undefined && entry.vin !== undefined ? [entry.vin] : [],
  )
  await lookAgainAtReaders(transaction, newVins)
  return { kind: 'entered', added: plan.added.length, updated: plan.updatedCount, unchanged: plan.unchangedCount }
}

async function readAccountsOf(transaction: Transaction, deviceIds: readonly DeviceId[]): Promise<number[]> {
  const rows = await transaction.rows<{ account_id: number }>(sql`
    select distinct account_id from assignments where device_id = any(${deviceIds}::bigint[]) and to_time = 'infinity'`)
  return rows.map(row => row.account_id)
}

function isThere(entry: DeviceEntry): EntryProblem {
  const advice =
    '`tacho device import` and the settings of the API change its car, `tacho device move` puts it into another'
  return { entry, field: 'deviceId', text: 'is there already', advice }
}

/** The dongles that read a VIN that an operator enters now: one reading is enough from then on. */
async function readReaders(transaction: Transaction, entries: readonly DeviceEntry[]): Promise<DeviceId[]> {
  const vins = entries.flatMap(entry => entry.vin ?? [])
  if (vins.length === 0) return []
  const rows = await transaction.rows<{ device_id: DeviceId }>(sql`
    select distinct device_id from vin_runs where vin = any(${vins}::text[])`)
  return rows.map(row => row.device_id)
}

/** Where they were is worked out again in the background (docs/adr/0009). */
export async function lookAgainAtReaders(transaction: Transaction, vins: readonly string[]): Promise<void> {
  if (vins.length === 0) return
  await transaction.rows(sql`
    update device_states set assignments_due = true, dirty_since = coalesce(dirty_since, clock_timestamp())
    where device_id in (select device_id from vin_runs where vin = any(${vins}::text[]))`)
}
