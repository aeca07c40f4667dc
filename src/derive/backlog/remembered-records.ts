import { shardOf } from '../../db/shards/shards.ts'
import type { Clock } from '../../lib/clock.ts'
import type { DeviceId } from '../../model/sample.ts'
import type { DerivedSoFar } from '../device-records/device-records.ts'
import { type PackedDerived, unpacked } from '../device-records/packed-derived.ts'

interface Remembered {
  readonly derived: PackedDerived
  readonly sinceMs: number
}

/** With 64 shards some 10,000 dongles: about 20 MB. */
const MOST_PER_SHARD = 160
/** Whoever reports more rarely than this gives way. */
const IDLE_MS = 300_000

/**
 * What a process derived of the devices whose shards' lease it owns, so that it need not be read again for their next samples. Valid as the rest
 * of the backlog is, and only until anything but the derivation of the backlog changes a device: who may do so takes it
 * first, and it is gone unless somebody puts it back.
 */
export class RememberedRecords {
  readonly #clock: Clock
  readonly #shards = new Map<number, Map<DeviceId, Remembered>>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Removes what is remembered of some devices. @returns it; nothing of those of which nothing is */
  take(deviceIds: Iterable<DeviceId>): ReadonlyMap<DeviceId, DerivedSoFar> {
    const taken = new Map<DeviceId, DerivedSoFar>()
    for (const deviceId of deviceIds) {
      const shard = this.#shards.get(shardOf(deviceId))
      const remembered = shard?.get(deviceId)
      if (!remembered) continue
      taken.set(deviceId, unpacked(remembered.derived))
      shard?.delete(deviceId)
    }
    return taken
  }

  /** Remembers what is derived of devices while there is room: of those that report often, for as long as they do. */
  put(derived: ReadonlyMap<DeviceId, PackedDerived>): void {
    const nowMs = this.#clock.monotonicMs()
    for (const [deviceId, ofDevice] of derived) {
      const number = shardOf(deviceId)
      const shard = this.#shards.get(number) ?? new Map<DeviceId, Remembered>()
      this.#shards.set(number, shard)
      shard.delete(deviceId)
      if (shard.size >= MOST_PER_SHARD && !makeRoom(shard, nowMs)) continue
      shard.set(deviceId, { derived: ofDevice, sinceMs: nowMs })
    }
  }

  forgetShard(number: number): void {
    this.#shards.delete(number)
  }
}

/** Forgets the device that has reported longest ago, if it has been idle. The order of a map is that of putting. */
function makeRoom(shard: Map<DeviceId, Remembered>, nowMs: number): boolean {
  const [oldest] = shard
  if (!oldest) return true
  const [deviceId, { sinceMs }] = oldest
  return nowMs - sinceMs > IDLE_MS && shard.delete(deviceId)
}
