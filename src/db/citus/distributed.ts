import type { Layouts } from '../../store/layouts.ts'
import type { SampleSource } from '../../store/sample-source.ts'
import type { Connection } from '../database.ts'
import { sql } from '../sql.ts'

/** Tables with rows on the workers, each by its `device_id`. The samples come first: the others are placed with them. */
export const DISTRIBUTED_TABLES = ['samples', 'sealed_days', 'fold_checkpoints'] as const

/** Whether the samples of this database are on the workers of Citus. */
export async function isDistributed(connection: Connection): Promise<boolean> {
  const [has] = await connection.rows<{ citus: boolean }>(
    sql`select to_regclass('pg_catalog.pg_dist_partition') is not null and to_regclass('samples') is not null as citus`,
  )
  if (!has?.citus) return false
  const rows = await connection.rows(sql`select from pg_dist_partition where logicalrelid = 'samples'::regclass`)
  return rows.length > 0
}

const answers = new WeakMap<Layouts, Promise<boolean>>()

/** The same, asked once for each open database. */
export function areSamplesDistributed(source: SampleSource): Promise<boolean> {
  const known = answers.get(source.layouts)
  if (known) return known
  const answer = isDistributed(source)
  answers.set(source.layouts, answer)
  answer.catch(() => answers.delete(source.layouts))
  return answer
}
