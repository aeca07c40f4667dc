import { type LockedDevices, shardOf, type Turn } from '../db/shards.ts'
import { type Connection, sql } from '../db/sql.ts'
import { instantMs } from '../db/values.ts'
import type { DeviceId, Sample } from '../model/sample.ts'
import { type Assignment, assignmentOf } from './device-records.ts'
import {
  FIRST_STORED,
  joinExtent,
  LAST_STORED,
  NOTHING_TO_FOLD,
  type StoredDevice,
  spanAheadOf,
  spanOf,
} from './due.ts'

/** What storing samples of a device needs to know of it. Changed in place, by the commit of a transaction that has locked it. */
export interface KnownDevice {
  readonly assignments: readonly Assignment[]
  /** Only a key of its account claims it. */
  readonly isClaimed: boolean
  /** No sample is stored before and none after, derived or not; empty while there are none. */
  firstMs: number
  lastMs: number
  /** The newest sample from which something was derived. */
  readonly derivedMs: number
  /** What is due of its samples; undefined when nothing is. */
  due: KnownMark | undefined
}

/** A mark of samples that are due. */
interface KnownMark {
  version: number
  /** New samples of this time need no other mark; empty when that is not known. */
  fromMs: number
  toMs: number
  /** All samples that are due, ascending by time; undefined when they are not known here. */
  samples: Sample[] | undefined
  /** When something last arrived, by the clock of the database. */
  receivedMs: number | undefined
}

/** A device of which a transaction stored samples. */
interface KnownStored extends StoredDevice {
  /** undefined where nothing is known. */
  readonly device: KnownDevice | undefined
  /** A mark was there that covers them. */
  readonly isMarked: boolean
}

/** If more samples of a device are due, they are read when they are derived. */
const MOST_SAMPLES = 4000
/** With 64 shards more than 100,000 devices, of 300 bytes each. */
const MOST_OF_SHARD = 2000

/** What this process remembers of devices, so that a batch need not read it. It holds for a shard while no transaction
 * has locked the shard but those that said here what they left, as the turns show. Any other one, of this process or
 * another, ends it. The tables decide what there is to do; memory is only a cache. */
export class KnownDevices {
  readonly #shards = new Map<number, RememberedShard>()

  /** What is not remembered is read. Devices that do not exist are left out. */
  async read(locked: LockedDevices): Promise<Map<DeviceId, KnownDevice>> {
    const known = new Map<DeviceId, KnownDevice>()
    const others: DeviceId[] = []
    for (const deviceId of locked.deviceIds) {
      const device = this.remembered(locked, deviceId)
      if (device) known.set(deviceId, device)
      else others.push(deviceId)
    }
    if (others.length > 0)
      for (const [deviceId, device] of await readKnownDevices(locked.transaction, others)) known.set(deviceId, device)
    return known
  }

  /** @returns undefined when that does not hold any more, or never was known */
  remembered({ turns }: LockedDevices, deviceId: DeviceId): KnownDevice | undefined {
    const number = shardOf(deviceId)
    const shard = this.#shards.get(number)
    return shard && isNext(turns.get(number), shard.turn) ? shard.devices.get(deviceId) : undefined
  }

  /** Says what a transaction leaves of the devices that it changed, when it is committed.
   * @param left says it for each of them; undefined: that is not known */
  remember(
    locked: LockedDevices,
    left: (leave: (device: KnownDevice | undefined, deviceId: DeviceId) => void) => void,
  ): void {
    locked.transaction.afterCommit(() => {
      for (const [shard, turn] of locked.turns) this.#takeTurn(shard, turn)
      left((device, deviceId) => {
        if (device) this.#shards.get(shardOf(deviceId))?.devices.set(deviceId, device)
        else this.forget(deviceId)
      })
    })
  }

  /** Whether something was stored here and not derived; undefined when that is not known. */
  isDue(deviceId: DeviceId): boolean | undefined {
    const device = this.#shards.get(shardOf(deviceId))?.devices.get(deviceId)
    return device && device.due !== undefined
  }

  forget(deviceId: DeviceId): void {
    this.#shards.get(shardOf(deviceId))?.devices.delete(deviceId)
  }

  /** Remembers what a transaction stored and marked. @param devices with what was known of them before, which is changed
   * by the commit @param versions of the marks of those that had none */
  stored(locked: LockedDevices, devices: readonly KnownStored[], versions: ReadonlyMap<DeviceId, number>): void {
    this.remember(locked, leave => {
      for (const item of devices) {
        const version = item.isMarked ? undefined : versions.get(item.deviceId)
        if (item.device) addStored(item.device, item, version, locked.lockedMs)
        leave(item.device, item.deviceId)
      }
    })
  }

  #takeTurn(number: number, turn: Turn): void {
    const shard = this.#shards.get(number)
    if (shard && isNext(turn, shard.turn) && shard.devices.size < MOST_OF_SHARD) shard.turn = turn
    else this.#shards.set(number, { turn, devices: new Map() })
  }
}

interface RememberedShard {
  /** Of the newest transaction that said what it left. */
  turn: Turn
  readonly devices: Map<DeviceId, KnownDevice>
}

function isNext(turn: Turn | undefined, before: Turn): boolean {
  return turn?.number === before.number + 1 && turn.server === before.server
}

/** A mark that is there already covers new samples: they need no other one. */
export function isCovered(samples: readonly Sample[], due: KnownMark | undefined): boolean {
  const [first, last] = [samples[0], samples.at(-1)]
  if (!due || !first || !last) return false
  return first.timeMs >= due.fromMs && last.timeMs <= due.toMs
}

function addStored(
  device: KnownDevice,
  { samples, isLate }: KnownStored,
  version: number | undefined,
  receivedMs: number,
): void {
  const { fromMs, toMs } = spanOf(samples)
  device.firstMs = Math.min(device.firstMs, fromMs)
  device.lastMs = Math.max(device.lastMs, toMs)
  const due = (device.due ??= { version: 0, ...NOTHING_TO_FOLD, samples: [], receivedMs })
  due.receivedMs = receivedMs
  due.samples = isLate ? undefined : joined(due.samples, samples)
  if (version === undefined) return
  const marked = spanAheadOf(samples)
  due.version = version
  due.fromMs = isLate ? Number.POSITIVE_INFINITY : Math.min(due.fromMs, marked.fromMs)
  due.toMs = isLate ? Number.NEGATIVE_INFINITY : Math.max(due.toMs, marked.toMs)
}

/** Samples with others that were stored after them, ascending by time: at one instant the later one counts.
 * @param before extended in place: the device is locked by whoever reads it, so nobody does now */
function joined(before: Sample[] | undefined, samples: readonly Sample[]): Sample[] | undefined {
  if (!before || before.length + samples.length > MOST_SAMPLES) return undefined
  const [first] = samples
  const last = before.at(-1)
  if (first && last && first.timeMs <= last.timeMs) {
    const byTime = new Map([...before, ...samples].map(sample => [sample.timeMs, sample]))
    return [...byTime.values()].sort((a, b) => a.timeMs - b.timeMs)
  }
  before.push(...samples)
  return before
}

export async function readKnownDevices(
  connection: Connection,
  deviceIds: readonly DeviceId[],
): Promise<Map<DeviceId, KnownDevice>> {
  const rows = await connection.rows<KnownRow>(
    sql`
      select d.id, d.is_claimed, a.account_id, a.vehicle_id, a.from_time, a.to_time,
        ${FIRST_STORED} as first_time, ${LAST_STORED} as last_time, s.last_time as derived_time, q.version
      from devices d
        left join assignments a on a.device_id = d.id
        ${joinExtent(sql`d.id`)}
      where d.id = any(${deviceIds}::bigint[]) and d.deleted is null`,
    { prepareAs: 'known-devices' },
  )
  const known = new Map<DeviceId, KnownDevice & { readonly assignments: Assignment[] }>()
  for (const row of rows) {
    const device = known.get(row.id) ?? {
      assignments: [],
      isClaimed: row.is_claimed,
      firstMs: row.first_time === null ? Number.POSITIVE_INFINITY : instantMs(row.first_time),
      lastMs: row.last_time === null ? Number.NEGATIVE_INFINITY : instantMs(row.last_time),
      derivedMs: row.derived_time === null ? Number.NEGATIVE_INFINITY : instantMs(row.derived_time),
      due:
        row.version === null
          ? undefined
          : { version: row.version, ...NOTHING_TO_FOLD, samples: undefined, receivedMs: undefined },
    }
    known.set(row.id, device)
    if (row.account_id !== null) device.assignments.push(assignmentOf(row))
  }
  return known
}

type KnownRow = {
  readonly id: DeviceId
  readonly is_claimed: boolean
  readonly first_time: string | null
  readonly last_time: string | null
  readonly derived_time: string | null
  readonly version: number | null
} & (
  | { readonly account_id: number; readonly vehicle_id: number; readonly from_time: string; readonly to_time: string }
  | { readonly account_id: null }
)
