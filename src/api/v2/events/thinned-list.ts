import { setImmediate } from 'node:timers/promises'
import type { EventTypeId } from '../../../catalogue/event-types.ts'
import type { AccountReads } from '../../../db/account-reads.ts'
import { BATTERY_STATE, BATTERY_VOLTAGE } from '../../../derive/latest-values/derive/battery-state.ts'
import type { InTurn } from '../../../lib/semaphore.ts'
import { utf8Bytes } from '../../../server/http/reply.ts'
import {
  type Interval,
  isRolledUp,
  type RawConnection,
  readRolledSeries,
  readSamples,
  withRawConnection,
} from '../../../store/index.ts'
import { snakeTail } from '../../event-json.ts'
import { compareNames, type EventSlot } from '../../raw-values.ts'
import { type EventScope, findIntervals } from './query.ts'
import type { TypeSelection } from './selection.ts'
import { checkLength, type ThinnedQuery } from './thinned-request.ts'
import { type Series, SeriesInReading } from './thinned-series.ts'
import { bucketsOf, isOfHours, type Point, Thinning } from './thinning.ts'

interface ThinnedRequest {
  readonly scope: EventScope
  /** The event types are named, and none of them is GEO. */
  readonly selection: TypeSelection
  readonly thinned: ThinnedQuery
}

/**
 * Events of a range that draw the same chart as all of them, as JSON, as `utf8Bytes`, by time, then type, then device.
 * @param inTurn reads one chunk of samples per turn, so that a year does not keep a day waiting
 * @throws ClientError 400 when the reply could be too long
 */
export async function readThinnedList(
  reads: AccountReads,
  inTurn: InTurn,
  { scope, selection, thinned }: ThinnedRequest,
): Promise<Iterable<string>> {
  const { range, maxPoints } = thinned
  const intervals = await findIntervals(reads, scope, range)
  checkLength(thinned, new Set(intervals.map(({ deviceId }) => deviceId)).size)
  const connection: RawConnection = {
    layouts: reads.layouts,
    rows: (statement, options) => inTurn(() => reads.rows(statement, options)),
    row: statement => inTurn(() => withRawConnection(reads, held => held.row(statement))),
  }
  const buckets = bucketsOf(range, maxPoints)
  const series = new SeriesInReading(() => new Thinning(buckets, maxPoints))
  const rolledTypes = isOfHours(buckets) ? rolledTypesOf(selection) : []
  if (rolledTypes.length === 0)
    await series.addSamples(
      oneAhead(readSamples(connection, intervals, { types: selection.sampleTypes, direction: 'ascending' })),
      selection.accept,
    )
  else
    for (const deviceId of new Set(intervals.map(interval => interval.deviceId)))
      await addDevice(
        series,
        connection,
        intervals.filter(interval => interval.deviceId === deviceId),
        selection,
        { rolledTypes, maxPoints },
      )
  return eventTexts(series.all())
}

/** Iterates over a source, which prepares the next item in the meantime. */
async function* oneAhead<T>(source: AsyncGenerator<T>): AsyncGenerator<T> {
  let coming = source.next()
  try {
    for (;;) {
      const { done, value } = await coming
      if (done) return
      coming = source.next()
      // The query for the next chunk is sent, and other work of this process gets a turn.
      await setImmediate()
      yield value
    }
  } finally {
    coming.catch(() => undefined)
  }
}

/** The types of which there are rollups. A BATTERY_STATE that follows from a voltage has none. */
function rolledTypesOf({ accept, sampleTypes = [] }: TypeSelection): EventTypeId[] {
  return sampleTypes.filter(type => accept(type) && isRolledUp(type))
}

/**
 * Reads the series of a device. Those of very many events come from rollups, as far as there are any; shorter ones are given whole, so
 * their samples are needed.
 */
async function addDevice(
  series: SeriesInReading,
  connection: RawConnection,
  intervals: readonly Interval[],
  { accept, sampleTypes = [] }: TypeSelection,
  { rolledTypes, maxPoints }: { readonly rolledTypes: readonly EventTypeId[]; readonly maxPoints: number },
): Promise<void> {
  const [first] = intervals
  if (!first) return
  const rolled = await readRolledSeries(connection, intervals, rolledTypes)
  const hours = new Map([...rolled.hours].filter(([, { values }]) => values > maxPoints))
  const samplesOf = (some: readonly Interval[], types: readonly EventTypeId[]) =>
    oneAhead(readSamples(connection, some, { types, direction: 'ascending' }))
  if (hours.size > 0) await series.addRolled(first.deviceId, hours, samplesOf(rolled.left, [...hours.keys()]))
  // A voltage that is not shown may be needed for the state.
  const others = sampleTypes.filter(type => !hours.has(type) || type === BATTERY_VOLTAGE.id)
  const isOther = (type: EventTypeId) => accept(type) && !hours.has(type)
  if ([...others, BATTERY_STATE.id].some(isOther)) await series.addSamples(samplesOf(intervals, others), isOther)
}

/** The events of all series by time, then type, then device. */
function* eventTexts(fleet: readonly Series[]): Generator<string> {
  const rests = fleet
    .toSorted((a, b) => compareNames(a.slot.name, b.slot.name) || a.deviceId - b.deviceId)
    .map(series => ({ series, points: series.thinning.points(), next: 0 }))
  for (;;) {
    let earliest: (typeof rests)[number] | undefined
    let earliestMs = Number.POSITIVE_INFINITY
    for (const rest of rests) {
      const timeMs = rest.points[rest.next]?.timeMs
      if (timeMs === undefined || timeMs >= earliestMs) continue
      earliest = rest
      earliestMs = timeMs
    }
    const point = earliest?.points[earliest.next++]
    if (!earliest || !point) return
    yield eventText(earliest.series, point)
  }
}

function eventText({ deviceId, slot }: Series, { timeMs, value }: Point): string {
  return slot.before + valueBytes(slot, value) + slot.after + snakeTail(deviceId, new Date(timeMs).toISOString())
}

function valueBytes({ kind }: EventSlot, value: Point['value']): string {
  if (kind === 'BOOLEAN') return value === 1 ? 'true' : 'false'
  return typeof value === 'string' ? utf8Bytes(JSON.stringify(value)) : String(value)
}
