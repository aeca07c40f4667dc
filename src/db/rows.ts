import type { ClientBase, Pool } from 'pg'
import type { Statement } from './sql.ts'
import { parameterOf } from './values.ts'

/** The rows that a statement gives over one connection, or any of a pool; values as `values.ts` says. */
export async function rowsOf<Row extends object>(
  client: Pick<Pool, 'query'> | ClientBase,
  statement: Statement,
  options?: { readonly prepareAs?: string },
): Promise<Row[]> {
  const result = await client.query<Row>({
    text: statement.text,
    values: statement.values.map(parameterOf),
    ...(options?.prepareAs === undefined ? {} : { name: options.prepareAs }),
  })
  return result.rows
}
