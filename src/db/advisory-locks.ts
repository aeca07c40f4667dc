/**
 * Every advisory lock of the service: the first of the two keys is the kind, the second the lock. Shards of devices and
 * of vehicles have kinds of their own, see `shards/shards.ts` and `shards/vehicle-shards.ts`. Of this kind,
 * `take_revisions` in the migrations uses number 0, and the embedded database number 100 (`embedded/session.ts`).
 */
export const LOCK_KIND = 7411

export const LOCKS = {
  revisions: 0,
  migrations: 1,
  partitions: 2,
  retention: 3,
  firstAccount: 4,
  onlineSweep: 5,
  accountDays: 6,
  keptSince: 7,
  histories: 8,
} as const

/** Of the shard of devices that a node is sealing. */
export const SEALING_LOCK_KIND = 7415
