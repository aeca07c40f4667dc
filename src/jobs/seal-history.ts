import type { Logger } from 'pino'
import { areSamplesDistributed } from '../db/citus.ts'
import { earlierClockMs } from '../db/clock.ts'
import type { Database } from '../db/database.ts'
import { clientErrorOf } from '../db/faults.ts'
import { SEALING_LOCK_KIND, whenAloneWith } from '../db/locks.ts'
import { SHARD_COUNT } from '../db/shards.ts'
import { type Connection, sql } from '../db/sql.ts'
import { instantOfMs } from '../db/values.ts'
import type { Failing } from '../derive/failing.ts'
import type { Pace } from '../derive/histories.ts'
import type { Clock } from '../lib/clock.ts'
import type { DeviceId } from '../model/sample.ts'
import { DAY_MS } from '../model/time-range.ts'
import { dayStartMs, isSealingPaused, nextDayToSeal, type Partitions, sealDay } from '../store/index.ts'

/** Nothing of a day was stored for so long: what a burst of late data changes is sealed once. */
const QUIET_S = 600

export interface SealingOptions {
  readonly afterDays: number
  readonly partitions: Partitions
  readonly pace: Pace
  readonly signal: AbortSignal
  readonly failing: Failing
  readonly log: Logger
  readonly clock: Clock
  readonly observe: (day: SealedCount) => void
  readonly quietS?: number
}

interface SealedCount {
  readonly samples: number
  readonly bytes: number
  readonly seconds: number
}

/** Every day that ended long enough ago; then drops empty tables. @throws when the database fails: to be retried */
export async function sealHistory(database: Database, options: SealingOptions): Promise<number> {
  const { afterDays, partitions, signal, clock, quietS = QUIET_S } = options
  const nowMs = await earlierClockMs(database, clock)
  const beforeMs = dayStartMs(nowMs - afterDays * DAY_MS)
  const due = { beforeMs, quietSince: new Date(nowMs - quietS * 1000).toISOString() }
  let days = 0
  for (let shard = 0; shard < SHARD_COUNT && !signal.aborted; shard++) {
    if (await isSealingPaused(database)) return days
    await whenAloneWith(database, SEALING_LOCK_KIND, shard, async connection => {
      for (const deviceId of await devicesOf(connection, shard, beforeMs, await areSamplesDistributed(database)))
        if (!signal.aborted) days += await sealDevice(database, deviceId, due, options)
    })
  }
  const dropped = signal.aborted ? [] : await partitions.dropSealedBefore(beforeMs)
  if (dropped.length > 0) options.log.info({ dropped }, 'dropped tables of samples that are all sealed')
  return days
}

async function devicesOf(
  connection: Connection,
  shard: number,
  beforeMs: number,
  isDistributed: boolean,
): Promise<DeviceId[]> {
  const isOld = sql`s.time < ${instantOfMs(beforeMs)}`
  // Workers do not know the states of devices.
  const hasOld = isDistributed
    ? sql`d.device_id in (select distinct s.device_id from samples s where s.device_id % ${SHARD_COUNT} = ${shard} and ${isOld})`
    : sql`exists (select from samples s where s.device_id = d.device_id and ${isOld})`
  const rows = await connection.rows<{ device_id: DeviceId }>(sql`
    select d.device_id from device_states d
    where d.device_id % ${SHARD_COUNT} = ${shard} and d.first_time < ${instantOfMs(beforeMs)} and ${hasOld}
    order by d.device_id`)
  return rows.map(row => row.device_id)
}

async function sealDevice(
  database: Database,
  deviceId: DeviceId,
  due: { readonly beforeMs: number; readonly quietSince: string },
  { pace, signal, failing, log, observe }: SealingOptions,
): Promise<number> {
  if (failing.resting().includes(deviceId)) return 0
  let days = 0
  try {
    for (let fromMs = Number.NEGATIVE_INFINITY; !signal.aborted; ) {
      const startedMs = performance.now()
      const next = await nextDayToSeal(database, deviceId, { ...due, fromMs })
      if (!next) break
      fromMs = next.dayMs + DAY_MS
      const sealed = next.isQuiet ? await sealDay(database, deviceId, { fromMs: next.dayMs, toMs: fromMs }) : 'refused'
      const workedMs = performance.now() - startedMs
      if (typeof sealed === 'object') {
        days++
        observe({ samples: sealed.samples.length, bytes: sealed.body.length, seconds: workedMs / 1000 })
      }
      await pace.restAfter(workedMs)
    }
    failing.succeeded(deviceId)
  } catch (error) {
    if (clientErrorOf(error)) throw error
    failing.failed(deviceId, false)
    log.error(
      { err: error, deviceId },
      'a day of a device could not be sealed and stays as it is; it will be tried again',
    )
  }
  return days
}
