/**
 * Every advisory lock of the service: the first of the two keys is the kind, the second the lock. Lanes have a kind of
 * their own, see `fleet/lanes.ts`; `take_stamps` in the migrations uses number 0 of this kind.
 */
export const LOCK_KIND = 7411

export const LOCKS = {
  stamps: 0,
  migrations: 1,
  partitions: 2,
  retention: 3,
  firstAccount: 4,
  onlineSweep: 5,
  accountDays: 6,
  keptSince: 7,
} as const
