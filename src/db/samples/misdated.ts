import { createHash } from 'node:crypto'
import type { Sample } from '../../model/sample.ts'
import { sql } from '../sql.ts'
import type { Transaction } from '../transaction.ts'
import { instantOfMs } from '../values.ts'

/** Keeps samples whose time can not be right apart from all others. The caller knows that their devices exist. */
export async function keepMisdated(transaction: Transaction, samples: readonly Sample[]): Promise<void> {
  if (samples.length === 0) return
  await transaction.rows(sql`
    insert into misdated_samples (device_id, time_ms, content, types, numbers, texts)
    select device_id, time_ms, content, types::smallint[], numbers::float8[],
      array(select jsonb_array_elements_text(texts::jsonb))
    from unnest(
      ${samples.map(sample => sample.deviceId)}::bigint[],
      ${samples.map(sample => Math.min(sample.timeMs, Number.MAX_SAFE_INTEGER))}::bigint[],
      ${samples.map(contentOf)}::bytea[],
      ${samples.map(sample => `{${sample.types.join(',')}}`)}::text[],
      ${samples.map(sample => `{${sample.numbers.join(',')}}`)}::text[],
      ${samples.map(sample => JSON.stringify(sample.texts))}::text[]
    ) as u (device_id, time_ms, content, types, numbers, texts)
    on conflict do nothing`)
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
