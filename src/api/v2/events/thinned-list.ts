import { setImmediate } from 'node:timers/promises'
import type { EventTypeId } from '../../../catalogue/event-types.ts'
import type { AccountReads } from '../../../db/account-reads.ts'
import { numberOf, type RawSample, textsOf } from '../../../db/samples/packed-samples.ts'
import { type RawConnection, withRawConnection } from '../../../db/samples/raw-connection.ts'
import { readWholeIntervals } from '../../../db/samples/whole-reader.ts'
import { batteryStateOf } from '../../../facts/latest-values/derive/battery-state.ts'
import type { InTurn } from '../../../lib/semaphore.ts'
import type { DeviceId } from '../../../model/sample.ts'
import { utf8Bytes } from '../../../server/http/json-stream.ts'
import { snakeTail } from '../../event-json.ts'
import { compareNames, type EventSlot, eventTemplates } from '../../raw-values.ts'
import { byteFrame } from './page.ts'
import { type EventScope, findIntervals } from './query.ts'
import type { TypeSelection } from './selection.ts'
import { checkLength, type ThinnedQuery } from './thinned-request.ts'
import { bucketsOf, type Point, Thinning } from './thinning.ts'

interface ThinnedRequest {
  readonly scope: EventScope
  /** The event types are named, and none of them is GEO. */
  readonly selection: TypeSelection
  readonly thinned: ThinnedQuery
}

/** One event type of one device. */
interface Series {
  readonly deviceId: DeviceId
  readonly slot: EventSlot
  readonly thinning: Thinning
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
    chunk: (statement, options) => inTurn(() => withRawConnection(reads, held => held.chunk(statement, options))),
  }
  const chunks = readWholeIntervals(connection, intervals, selection.sampleTypes)
  const buckets = bucketsOf(range, maxPoints)
  return eventTexts(await thinSeries(oneAhead(chunks), selection, () => new Thinning(buckets, maxPoints)))
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

async function thinSeries(
  chunks: AsyncIterable<readonly RawSample[]>,
  { accept }: TypeSelection,
  createThinning: () => Thinning,
): Promise<Series[]> {
  const templateOf = eventTemplates(byteFrame, accept)
  const ofDevices = new Map<DeviceId, Map<EventTypeId, Series>>()
  for await (const samples of chunks)
    for (const sample of samples) {
      const { deviceId, timeMs, layout } = sample
      const ofDevice = ofDevices.get(deviceId) ?? new Map<EventTypeId, Series>()
      if (ofDevice.size === 0) ofDevices.set(deviceId, ofDevice)
      const { slots } = templateOf(layout)
      const texts = slots.some(slot => slot.kind === 'STRING') ? textsOf(sample) : []
      for (const slot of slots) {
        const value = valueOf(slot, sample, texts)
        if (value === undefined) continue
        let series = ofDevice.get(slot.type)
        if (!series) ofDevice.set(slot.type, (series = { deviceId, slot, thinning: createThinning() }))
        series.thinning.add({ timeMs, value })
      }
    }
  return [...ofDevices.values()].flatMap(ofDevice => [...ofDevice.values()])
}

/** A BOOLEAN is 0 or 1; undefined where the voltage gives no battery state. */
function valueOf({ kind, index }: EventSlot, sample: RawSample, texts: readonly string[]) {
  if (kind === 'STRING') return texts[index]
  const value = numberOf(sample, index)
  return kind === 'BATTERY_STATE' ? batteryStateOf(value) : value
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
