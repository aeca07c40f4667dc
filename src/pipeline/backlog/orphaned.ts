import type { Logger } from 'pino'
import type { Database } from '../../db/database.ts'
import { readOrphanedShards } from '../../db/shards/kept-shards.ts'
import { deriveShards } from './derive-shards.ts'

/**
 * Derives what waits in shards whose lease owner does not run any more, shard by shard. Should it run nevertheless, it finds that
 * the shard is no longer its own. What this process left waiting under a former number is orphaned, too.
 * @returns how many shards there were.
 */
export async function deriveOrphaned(database: Database, log: Logger): Promise<number> {
  await database.leaseLock.releaseFormer(database.backlog.leaseOwner)
  const shards = await readOrphanedShards(database)
  for (const shard of shards) await deriveShards(database, [shard], log)
  return shards.length
}
