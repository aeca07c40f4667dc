import type { AccountReads } from '../../../db/account-reads.ts'
import { type Connection, sql } from '../../../db/sql.ts'
import { instantMs } from '../../../db/values.ts'
import { stateAfterMoves } from '../../../derive/trips/fold.ts'
import {
  accountOf,
  type Retrace,
  retraced,
  retracedToEnd,
  retraceFrom,
  type TripAccount,
} from '../../../derive/trips/retrace.ts'
import { readCheckpointBefore } from '../../../derive/trips/rows.ts'
import { parseState } from '../../../derive/trips/state.ts'
import type { DeviceId } from '../../../model/sample.ts'
import { type RawSample, readSamples, sampleOfRaw, withRawConnection } from '../../../store/index.ts'
import { numberIdOf } from '../../schemas.ts'

/** A trip as it is stored, and what is known of the samples of its device. */
export interface StoredTrip {
  readonly id: number
  readonly deviceId: DeviceId
  readonly startMs: number
  readonly endMs: number
  readonly isOpen: boolean
  readonly isDeleted: boolean
  /** The trip of another device in the car that counts instead of it; then it is deleted. */
  readonly supersededBy: number | null
  readonly metres: number
  readonly seconds: number
  /** The first sample of the device; minus infinity when that is not known. */
  readonly firstSampleMs: number
  readonly lastSampleMs: number
  /** From when and until when an operator assigned the device to the car; infinite where nobody did. */
  readonly inCarFromMs: number
  readonly inCarToMs: number
  /** Some samples of that time have been dropped. */
  readonly isBeyondRetention: boolean
  /** Samples in the time of the trip wait to be folded. */
  readonly isPending: boolean
}

/** @returns undefined when the account has no such trip; one marked as deleted is found. */
export async function findStoredTrip(
  connection: Connection,
  accountId: number,
  tripId: string,
): Promise<StoredTrip | undefined> {
  const id = numberIdOf(tripId)
  if (id === undefined) return undefined
  const [row] = await connection.rows<StoredTripRow>(
    sql`
      select t.id, t.device_id as "deviceId", t.start_time as start, t.end_time as "end", t.is_open as "isOpen",
        t.deleted is not null as "isDeleted", t.superseded_by as "supersededBy", t.distance_m as metres, t.duration_s as seconds,
        coalesce((select max(at_time) from operator_moves m
          where m.device_id = t.device_id and m.at_time <= t.start_time), '-infinity') as "inCarFrom",
        coalesce((select min(at_time) from operator_moves m
          where m.device_id = t.device_id and m.at_time > t.start_time), 'infinity') as "inCarTo",
        coalesce(s.first_time, '-infinity') as "firstSample", coalesce(s.last_time, t.end_time) as "lastSample",
        coalesce(q.from_time <= t.end_time, false) as "isPending",
        exists (select from retention r where r.kept_since > t.start_time) as "isBeyondRetention"
      from trips_now t left join device_states s on s.device_id = t.device_id
        left join due q on q.device_id = t.device_id and q.kind = 'samples' and q.from_time < s.last_time
      where t.id = ${id} and t.account_id = ${accountId}`,
    { prepareAs: 'find-trip-to-explain' },
  )
  if (!row) return undefined
  const { start, end, firstSample, lastSample, inCarFrom, inCarTo, ...trip } = row
  return {
    ...trip,
    startMs: instantMs(start),
    endMs: instantMs(end),
    firstSampleMs: instantMs(firstSample),
    lastSampleMs: instantMs(lastSample),
    inCarFromMs: instantMs(inCarFrom),
    inCarToMs: instantMs(inCarTo),
  }
}

type Instants = 'start' | 'end' | 'firstSample' | 'lastSample' | 'inCarFrom' | 'inCarTo'
type StoredTripRow = Omit<StoredTrip, `${Instants}Ms`> & Readonly<Record<Instants, string>>

/** The trips of the account that count in the time of a deleted one, earliest first. */
export async function tripsCovering(connection: Connection, accountId: number, deleted: StoredTrip): Promise<number[]> {
  if (deleted.supersededBy !== null) return [deleted.supersededBy]
  const rows = await connection.rows<{ id: number }>(
    sql`
      select coalesce(o.superseded_by, o.id) as id from trips_now t join trips_now o
        on o.device_id = t.device_id and o.start_time <= t.end_time and o.end_time >= t.start_time
      where t.id = ${deleted.id} and o.account_id = ${accountId} and (o.deleted is null or o.superseded_by is not null)
      group by 1 order by min(o.start_time), 1 limit 100`,
    { prepareAs: 'trips-covering' },
  )
  return rows.map(row => row.id)
}

/** A trip as it follows from its samples when they are folded once more. */
export interface RetracedTrip {
  /** undefined when no trip begins at that time. */
  readonly account: TripAccount | undefined
  readonly firstSample: RawSample | undefined
  readonly lastSample: RawSample | undefined
  /** The checkpoint from which the samples were folded; undefined when from the first sample of the device. */
  readonly checkpointMs: number | undefined
}

/** From the last checkpoint before the trip until it is over; only the deciding samples are kept. */
export async function retraceTrip(
  reads: AccountReads,
  { deviceId, startMs, firstSampleMs, lastSampleMs, inCarFromMs, inCarToMs }: StoredTrip,
): Promise<RetracedTrip> {
  const checkpoint = await readCheckpointBefore(reads, deviceId, startMs)
  const state = stateAfterMoves(checkpoint && parseState(checkpoint.state), startMs, [inCarFromMs])
  const checkpointMs = state && checkpoint?.beforeMs
  // Samples from other cars say nothing about this one, and may belong to another account.
  const interval = {
    deviceId,
    fromMs: Math.max(checkpointMs ?? firstSampleMs, inCarFromMs),
    toMs: Math.min(lastSampleMs + 1, inCarToMs),
  }
  let retrace = retraceFrom(state, startMs)
  let firstSample: RawSample | undefined
  let lastSample: RawSample | undefined
  let movedSample: RawSample | undefined
  let followed = retrace
  // Samples that are not folded yet, oldest first.
  const waiting: RawSample[] = []
  const follow = (after: Retrace) => {
    const raw = waiting.shift()
    // Where the trip began between two samples, the one that shows it is later than the start.
    if (raw?.timeMs === after.trip?.opened.timeMs) firstSample = raw
    if (after.counted !== followed.counted) lastSample = raw
    if (after.moved !== followed.moved) movedSample = raw
    followed = after
  }
  await withRawConnection(reads, async connection => {
    const order = { types: undefined, direction: 'ascending' } as const
    for await (const chunk of readSamples(connection, [interval], order))
      for (const raw of chunk) {
        waiting.push(raw)
        retrace = retraced(retrace, sampleOfRaw(raw), follow)
        if (retrace.isOver) return
      }
    retrace = retracedToEnd(retrace, follow)
  })
  const account = accountOf(retrace)
  // It turned out later that the car was parked.
  const isShortened = account !== undefined && lastSample !== undefined && lastSample.timeMs > account.trip.endMs
  return { account, firstSample, lastSample: isShortened ? movedSample : lastSample, checkpointMs }
}
