import type { ClientBase, Pool } from 'pg'
import type { Statement } from './sql.ts'
import { parameterOf } from './values.ts'

/** The rows that a statement gives over one connection, or any of a pool; values as `values.ts` says. */
export async function rowsOf<Row extends object>(
  client: Pick<Pool, 'query'> | ClientBase,
  statement: Statement,
  options?: { readonly prepareAs?: string },
): Promise<Row[]> {
  const { text } = statement
  const values = statement.values.map(parameterOf)
  const name = options?.prepareAs
  // Only a name needs an object, of which the driver makes a slow copy.
  const { rows } = await (name === undefined
    ? client.query<Row>(text, values)
    : client.query<Row>({ name, text, values }))
  return rows
}
