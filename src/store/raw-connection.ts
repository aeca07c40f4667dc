import type { AccountReads } from '../db/account-reads.ts'
import { type CopiedRow, copiedRow } from '../db/copy.ts'
import { rowsOf, type Statement } from '../db/sql.ts'
import { type Chunk, type ChunkOptions, chunkOf, samplesOfChunk } from './packed-samples.ts'
import type { SampleSource } from './sample-source.ts'

/** A connection held for several chunks of samples. */
export interface RawConnection extends SampleSource {
  /** The samples of a statement that selects `CHUNK_COLUMNS`, in its order. */
  chunk(statement: Statement, options?: ChunkOptions): Promise<Chunk>
  /** The only row of a statement in PostgreSQL's binary format, as `copiedRow` gives it. */
  row(statement: Statement): Promise<CopiedRow | undefined>
}

/** Runs `work` with a connection to read samples of an account's cars. */
export function withRawConnection<T>(reads: AccountReads, work: (connection: RawConnection) => Promise<T>): Promise<T> {
  const { layouts } = reads
  return reads.hold(client => {
    const held: SampleSource = { layouts, rows: (statement, options) => rowsOf(client, statement, options) }
    // Over the same connection: callers that hold a reader and wait for another one could wait for ever.
    const loadLayouts = (ids: ReadonlySet<number>) => layouts.load(ids, held)
    return work({
      ...held,
      row: statement => copiedRow(client, statement),
      chunk: async (statement, options = {}) =>
        samplesOfChunk(await copiedRow(client, chunkOf(statement, options)), layouts, loadLayouts, options),
    })
  })
}
