import { readOrphanedShards } from '../../db/shards/kept-shards.ts'
import { deriveShards, type LeaseOwner } from './derive-shards.ts'

/**
 * Derives what waits in shards whose lease owner does not run any more, shard by shard. Should it run nevertheless, it finds that
 * the shard is no longer its own. What this process left waiting under a former number is orphaned, too.
 * @returns how many shards there were.
 */
export async function deriveOrphaned(owner: LeaseOwner): Promise<number> {
  await owner.backlog.releaseFormerLeases()
  const shards = await readOrphanedShards(owner.database)
  for (const shard of shards) await deriveShards(owner, [shard])
  return shards.length
}
