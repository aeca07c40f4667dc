import type { LockedDevices } from '../../db/shards/locked-devices.ts'
import { sql } from '../../db/sql.ts'
import type { Transaction } from '../../db/transaction.ts'
import { lockVins } from '../../derive/assignments/rows/locked-vins.ts'
import { markToLookAgain } from '../../derive/due.ts'
import type { DeviceId } from '../../model/sample.ts'
import { dropClaims, keepClaims } from './claims.ts'
import type { DeviceEntry, EntryProblem } from './device-entry.ts'
import { type HandedOut, readHandedOut } from './handed-out.ts'
import { type KnownFleet, readKnownFleet } from './known-fleet.ts'
import { planEntries } from './plan-entries.ts'
import { addDongles, changeCars, changeHardware } from './write-entries.ts'

/** The outcome of entries: how many dongles were created or have a changed car, or why nothing was done. */
export type EntryOutcome =
  | { readonly kind: 'entered'; readonly added: number; readonly updated: number; readonly unchanged: number }
  | { readonly kind: 'refused'; readonly problems: readonly EntryProblem[] }

export interface EntryOptions {
  /** Where a new dongle joins that names no account. */
  readonly firstAccountId: number
  /** Refuses dongles that exist. */
  readonly onlyNew?: boolean
  /** The account that registers them by itself: once there are several, only what was handed out to it. */
  readonly claimantId?: number
}

/** The dongles that entries concern: themselves, and those that read a VIN that is entered. */
export async function readConcerned(transaction: Transaction, entries: readonly DeviceEntry[]): Promise<DeviceId[]> {
  const readers = await readReaders(transaction, entries)
  return [...new Set([...entries.map(entry => entry.deviceId), ...readers])]
}

/**
 * Enters dongles and their cars, all or none. The same entries again change nothing.
 * @param locked all that `readConcerned` tells, with what waited of them worked out
 * @param entries each dongle once
 */
export async function enterDevices(
  locked: LockedDevices,
  entries: readonly DeviceEntry[],
  { firstAccountId, onlyNew, claimantId }: EntryOptions,
): Promise<EntryOutcome> {
  const { transaction } = locked
  const deviceIds = entries.map(entry => entry.deviceId)
  const handedOut = await readHandedOut(transaction, deviceIds)
  const accountIds = new Set(entries.map(entry => entry.accountId ?? firstAccountId))
  for (const accountId of handedOut.owners.values()) accountIds.add(accountId)
  for (const accountId of await readAccountsOf(transaction, deviceIds)) accountIds.add(accountId)
  await lockVins(transaction, accountIds)
  // Only now VINs are locked.
  const known = await readKnownFleet(transaction, entries)
  if (claimantId !== undefined) {
    const notTheirs = entries.filter(entry => !mayClaim(entry, claimantId, handedOut, known))
    await keepClaims(transaction, notTheirs.map(claimOf(claimantId)), 'refused')
    if (notTheirs.length > 0) return { kind: 'refused', problems: notTheirs.map(isNotHandedOut) }
  }
  const existing = onlyNew ? entries.filter(entry => known.devices.has(entry.deviceId)) : []
  const { placed, problems: misplaced } = placeNew(entries, handedOut, known)
  const plan = planEntries(placed, known, firstAccountId)
  const problems = existing.length > 0 ? existing.map(entry => isThere(entry)) : [...misplaced, ...plan.problems]
  if (problems.length > 0) return { kind: 'refused', problems }
  await confirm(transaction, deviceIds)
  await addDongles(locked, plan.added)
  await changeCars(transaction, plan.cars)
  await changeHardware(locked, plan.hardware)
  const newVins = plan.added.flatMap(({ entry, vehicleId }) =>
    vehicleId === undefined && entry.vin !== undefined ? [entry.vin] : [],
  )
  await lookAgainAtReaders(transaction, newVins)
  if (claimantId !== undefined && !handedOut.isSoleAccount)
    await keepClaims(transaction, entries.map(claimOf(claimantId)), 'open')
  return { kind: 'entered', added: plan.added.length, updated: plan.updatedCount, unchanged: plan.unchangedCount }
}

const claimOf = (accountId: number) => (entry: DeviceEntry) => ({ deviceId: entry.deviceId, accountId })

/** Dongles of another account and unregistered ones give the same error, so that they can not be distinguished. */
function mayClaim({ deviceId }: DeviceEntry, claimantId: number, handedOut: HandedOut, known: KnownFleet): boolean {
  const device = known.devices.get(deviceId)
  if (handedOut.isSoleAccount || device?.account_id === claimantId) return true
  return !device && handedOut.owners.get(deviceId) === claimantId
}

function isNotHandedOut(entry: DeviceEntry): EntryProblem {
  return { entry, field: 'deviceId', text: 'was not handed out to this account by the operator of the service' }
}

/** New dongles join the account to which they were handed out, and no other. */
function placeNew(
  entries: readonly DeviceEntry[],
  { owners }: HandedOut,
  known: KnownFleet,
): { readonly placed: readonly DeviceEntry[]; readonly problems: readonly EntryProblem[] } {
  const problems: EntryProblem[] = []
  const placed = entries.map(entry => {
    const ownerId = owners.get(entry.deviceId)
    if (ownerId === undefined || known.devices.has(entry.deviceId)) return entry
    if (entry.accountId !== undefined && entry.accountId !== ownerId) {
      const advice = '`tacho account ranges` shows to which, and `tacho account take-back` takes it back'
      problems.push({ entry, field: 'accountId', text: 'is not the account to which it was handed out', advice })
    }
    return { ...entry, accountId: ownerId }
  })
  return { placed, problems }
}

/** Their account is confirmed: they are no mere claims any more. */
async function confirm(transaction: Transaction, deviceIds: readonly DeviceId[]): Promise<void> {
  await transaction.rows(sql`
    update devices set is_claimed = false where is_claimed and id = any(${deviceIds}::bigint[])`)
  await dropClaims(transaction, deviceIds)
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
  await markToLookAgain(
    transaction,
    sql`
      select distinct device_id, timestamptz 'infinity' as from_time from vin_runs where vin = any(${vins}::text[])`,
  )
}
