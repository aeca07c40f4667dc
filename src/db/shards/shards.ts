import type { DeviceId } from '../../model/sample.ts'

/** Enough that two nodes seldom need the same one, few enough that a large batch locks them quickly. */
export const SHARD_COUNT = 64

/** The shard of a device. All nodes must agree, so this never changes. */
export function shardOf(deviceId: DeviceId): number {
  return deviceId % SHARD_COUNT
}

/** The shards of some devices, ascending. */
export function shardsOf(deviceIds: Iterable<DeviceId>): number[] {
  const shards = new Set<number>()
  for (const deviceId of deviceIds) shards.add(shardOf(deviceId))
  return [...shards].sort((a, b) => a - b)
}
