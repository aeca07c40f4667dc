import { createHash } from 'node:crypto'
import { insertOf } from '../db/bulk-rows.ts'
import { sql } from '../db/sql.ts'
import type { Transaction } from '../db/transaction.ts'
import { instantOfMs, quotedItem } from '../db/values.ts'
import type { Sample } from '../model/sample.ts'

/** Stores samples with impossible times separately. The caller knows that their devices exist. */
export async function keepMisdated(transaction: Transaction, samples: readonly Sample[]): Promise<void> {
  if (samples.length === 0) return
  const rows = samples.map(sample => ({
    device_id: sample.deviceId,
    time_ms: Math.min(sample.timeMs, Number.MAX_SAFE_INTEGER),
    content: contentOf(sample),
    types: `{${sample.types.join(',')}}`,
    numbers: `{${sample.numbers.join(',')}}`,
    texts: `{${sample.texts.map(quotedItem).join(',')}}`,
  }))
  await transaction.rows(insertOf('misdated_samples', rows, sql`on conflict do nothing`))
}

/** Drops those received before an instant. @returns how many there were. */
export async function dropMisdatedBefore(transaction: Transaction, beforeMs: number): Promise<number> {
  const rows = await transaction.rows(
    sql`delete from misdated_samples where received < ${instantOfMs(beforeMs)} returning device_id`,
  )
  return rows.length
}

function contentOf({ types, numbers, texts }: Sample): Buffer {
  return createHash('sha256')
    .update(JSON.stringify([types, numbers, texts]))
    .digest()
    .subarray(0, 16)
}
