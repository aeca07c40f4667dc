import type { Database } from '../db/database.ts'
import { isOfStatement } from '../db/faults.ts'
import type { OwnerOf } from '../db/layouts.ts'
import { rowsOf, sql } from '../db/sql.ts'
import type { TransactionEnd } from '../db/transaction.ts'
import { parameterOf } from '../db/values.ts'
import type { Sample } from '../model/sample.ts'
import { packedBytesAtMost, packNumbers } from './packed-numbers.ts'
import { storedTextsOf } from './sample-writer.ts'

/** What storing in one statement came to. Other than `committed`, nothing may be stored. */
type InOrderEnd = TransactionEnd | 'not now'

/**
 * Stores samples whose keys do not exist yet in one statement, which waits for nobody: `not now` if a shard is held, or is not
 * this lease owner's.
 * @param shards of the samples, ascending
 * @param ownerOf the account of a sample, whose number of layouts is limited
 */
export async function insertInOrder(
  database: Database,
  samples: readonly Sample[],
  {
    shards,
    leaseOwner,
    ownerOf,
  }: { readonly shards: readonly number[]; readonly leaseOwner: number; readonly ownerOf: OwnerOf<Sample> },
): Promise<InOrderEnd> {
  try {
    const layoutIds = await database.layouts.idsOf(samples, ownerOf)
    const texts: unknown[] = []
    for (const [index, sample] of samples.entries()) {
      const stored = storedTextsOf(sample, layoutIds[index] ?? 0)
      texts.push(stored ? parameterOf(stored) : null)
    }
    const [row] = await rowsOf<{ is_stored: boolean }>(
      database.writers,
      sql`
        select store_in_order(${shards}, ${leaseOwner}, ${samples.map(({ deviceId }) => deviceId)},
          ${samples.map(({ timeMs }) => timeMs)}, ${[...layoutIds]}, ${samples.map(packedHex)}, ${texts}) as is_stored`,
      { prepareAs: 'store-in-order' },
    )
    if (!row?.is_stored) return 'not now'
  } catch (error) {
    return isOfStatement(error) ? 'rolled back' : 'unknown'
  }
  database.changes.committed()
  return 'committed'
}

let bytes = Buffer.alloc(0)
let view = new DataView(bytes.buffer, 0, 0)

/** The numbers of a sample as PostgreSQL reads a bytea; null without any. */
function packedHex({ numbers }: Sample): string | null {
  if (numbers.length === 0) return null
  if (bytes.length < packedBytesAtMost(numbers.length)) {
    bytes = Buffer.alloc(packedBytesAtMost(numbers.length) * 2)
    view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
  }
  return `\\x${bytes.toString('hex', 0, packNumbers(numbers, view, 0))}`
}
