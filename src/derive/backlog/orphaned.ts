import { readOrphanedShards } from '../../db/shards/kept-shards.ts'
import { deriveShards, type LeaseOwner } from './derive-shards.ts'

/**
 * Derives the backlog of shards whose lease owner does not run any more, shard by shard. If it runs after all, it finds that
 * it has lost the lease. What this process left waiting under a former number is orphaned, too.
 * @returns how many shards there were.
 */
export async function deriveOrphaned(owner: LeaseOwner): Promise<number> {
  await owner.backlog.releaseFormerLeases()
  const shards = await readOrphanedShards(owner.database)
  for (const shard of shards) await deriveShards(owner, [shard])
  return shards.length
}
