import type { Database } from '../db/database.ts'
import { type LockedDevice, lockDevice } from '../db/shards.ts'
import { sql } from '../db/sql.ts'
import { type Transaction, writeTransaction } from '../db/transaction.ts'
import type { DeviceId } from '../model/sample.ts'
import { findWrongRollups, writeRollup } from '../store/index.ts'
import { deriveAnew, deriveCars, deriveDevice, deriveHistoryLocked, endWhatIsSilent } from './derive.ts'
import type { DerivedRow } from './derived-rows.ts'
import { readDue, writeFoldedByNow } from './due.ts'
import { FACTS } from './facts.ts'

interface RebuildOptions {
  /** Only reports differences. */
  readonly isCheck: boolean
}

/** Derives a device again in one transaction and corrects differences. What is due is done first, and is none.
 * @returns the differences; without any, only the version of the rules is written */
export async function rebuildDevice(
  database: Database,
  deviceId: DeviceId,
  options: RebuildOptions,
): Promise<readonly Difference[]> {
  for (;;) {
    await deriveDevice(database, deviceId)
    const differences = await writeTransaction(database, async transaction =>
      rebuildLocked(await lockDevice(transaction, deviceId), options),
    )
    if (differences) return differences
  }
}

/** @returns undefined when more is due since the device was derived */
async function rebuildLocked(
  locked: LockedDevice,
  { isCheck }: RebuildOptions,
): Promise<readonly Difference[] | undefined> {
  const { transaction, deviceId } = locked
  if ((await readDue(locked)).size + (await readDue(locked, 'cars')).size > 0) return undefined
  await transaction.rows(sql`savepoint before_rebuild`)
  // Deriving again also ends what goes on at a dongle that fell silent: that is no difference.
  await endWhatIsSilent(locked)
  await deriveHistoryLocked(locked)
  await deriveCars(locked)
  await transaction.doWhatIsLeft()
  const before = await readDerivedRows(transaction, deviceId)
  await deriveAnew(locked)
  await transaction.doWhatIsLeft()
  const differences = differencesOf(before, await readDerivedRows(transaction, deviceId))
  if (isCheck || differences.length === 0) await transaction.rows(sql`rollback to savepoint before_rebuild`)
  if (!isCheck) await writeFoldedByNow(locked)
  return [...differences, ...(await checkRollups(locked, isCheck))]
}

/** Rollups follow from sealed samples, and from nothing else. */
async function checkRollups({ transaction, deviceId }: LockedDevice, isCheck: boolean): Promise<Difference[]> {
  const differences: Difference[] = []
  for await (const wrong of findWrongRollups(transaction, deviceId)) {
    differences.push({ name: `rollup of ${wrong.day}`, kind: 'changed', fields: wrong.differences })
    if (!isCheck) await writeRollup(transaction, { deviceId, date: wrong.day, version: wrong.version }, wrong.right)
  }
  return differences
}

async function readDerivedRows(transaction: Transaction, deviceId: DeviceId): Promise<DerivedRow[]> {
  const rows: DerivedRow[] = []
  for (const { readDerived } of FACTS) rows.push(...((await readDerived?.(transaction, deviceId)) ?? []))
  return rows
}

type Difference =
  | { readonly name: string; readonly kind: 'missing' }
  | { readonly name: string; readonly kind: 'superfluous' }
  | {
      readonly name: string
      readonly kind: 'changed'
      readonly fields: readonly { readonly field: string; readonly before: unknown; readonly now: unknown }[]
    }

function differencesOf(before: readonly DerivedRow[], now: readonly DerivedRow[]): Difference[] {
  const left = new Map(before.map(row => [row.name, row]))
  const found: Difference[] = []
  for (const row of now) {
    const stored = left.get(row.name)
    left.delete(row.name)
    if (!stored) found.push({ name: row.name, kind: 'missing' })
    else {
      const fields = changedFields(stored.fields, row.fields)
      if (fields.length > 0) found.push({ name: row.name, kind: 'changed', fields })
    }
  }
  return [...found, ...[...left.keys()].map(name => ({ name, kind: 'superfluous' as const }))]
}

function changedFields(before: DerivedRow['fields'], now: DerivedRow['fields']) {
  return [...new Set([...Object.keys(before), ...Object.keys(now)])]
    .filter(field => JSON.stringify(before[field]) !== JSON.stringify(now[field]))
    .map(field => ({ field, before: before[field], now: now[field] }))
}

/** A difference on one line, for people. */
export function differenceText(difference: Difference): string {
  if (difference.kind === 'missing') return `${difference.name}: was missing`
  if (difference.kind === 'superfluous') return `${difference.name}: should not be there`
  const fields = difference.fields.map(({ field, before, now }) => `${field} was ${shown(before)}, is ${shown(now)}`)
  return `${difference.name}: ${fields.join('; ')}`
}

function shown(value: unknown): string {
  if (value === undefined || value === null) return 'nothing'
  return typeof value === 'string' ? value : JSON.stringify(value)
}
