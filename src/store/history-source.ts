import type { AccountReads } from '../db/account-reads.ts'
import { copiedBytes } from '../db/copy.ts'
import type { Statement } from '../db/sql.ts'
import type { SampleSource } from './sample-source.ts'

/** Where long histories are read, statement by statement: from a thread, too, which holds no connection. */
export interface HistorySource extends SampleSource {
  /** The row of a statement, as `copiedBytes` gives it: for `rowOfCopy`. */
  copied(statement: Statement): Promise<Buffer>
}

/** For the turns of an account: each statement is one. */
export function historySourceOf(reads: AccountReads): HistorySource {
  return {
    layouts: reads.layouts,
    rows: (statement, options) => reads.rows(statement, options),
    copied: statement => reads.hold(client => copiedBytes(client, statement.inlined())),
  }
}
