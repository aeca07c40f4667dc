import { PassThrough } from 'node:stream'
import { Client } from 'pg'

/** The part of `EXPLAIN (FORMAT JSON)` that counts pages of 8 KiB, of the whole statement. */
type Explained = readonly [
  { readonly Plan: { readonly 'Shared Hit Blocks': number; readonly 'Shared Read Blocks': number } },
]

interface Asked {
  readonly text?: unknown
  readonly values?: unknown[]
  /** Of a command that is no plain query, such as COPY: runs itself over a connection. */
  readonly submit?: (connection: { query(text: string): void; readonly stream: PassThrough }) => void
}

interface Explaining {
  readonly text: string
  readonly values: unknown[]
}

type Query = (this: Client, ...asked: unknown[]) => unknown

/**
 * How many pages PostgreSQL read for the statements that some work ran, whether they were in memory or not: each statement is explained
 * with its parameters first, over its connection. Pages that planning reads are not counted, because they are the same few for each
 * connection.
 */
export async function pagesReadBy(work: () => Promise<unknown>): Promise<number> {
  const prototype = Client.prototype as unknown as { query: Query }
  const { query } = prototype
  const counts: Promise<number>[] = []
  prototype.query = function explainFirst(this: Client, ...asked: unknown[]) {
    const explaining = explained(asked[0] as Asked)
    if (explaining) counts.push(Promise.resolve(query.call(this, explaining)).then(pagesOf))
    return query.apply(this, asked)
  }
  try {
    await work()
    return (await Promise.all(counts)).reduce((sum, count) => sum + count, 0)
  } finally {
    prototype.query = query
  }
}

function explained(asked: Asked): Explaining | undefined {
  const { text, values = [] } = asked
  const isCommand = asked.submit !== undefined
  let statement = typeof text === 'string' ? text : ''
  // It only hands its text over, and would listen to the answer.
  asked.submit?.({
    stream: new PassThrough(),
    query(told) {
      statement = told
    },
  })
  const [, copied] = /^copy \((.*)\) to stdout \(format binary\)$/s.exec(statement) ?? []
  const plain = copied ?? statement
  if (!/^\s*(?:select|with)\b/i.test(plain)) return undefined
  return { text: `explain (analyze, buffers, format json) ${plain}`, values: isCommand ? [] : values }
}

function pagesOf(result: unknown): number {
  const { rows } = result as { rows: [{ 'QUERY PLAN': Explained }] }
  const [{ Plan: plan }] = rows[0]['QUERY PLAN']
  return plan['Shared Hit Blocks'] + plan['Shared Read Blocks']
}
