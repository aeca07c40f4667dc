import { setImmediate } from 'node:timers/promises'
import { type EventTypeId, eventTypeByName } from '../../../catalogue/event-types.ts'
import type { AccountReads } from '../../../db/account-reads.ts'
import { BATTERY_STATE, BATTERY_VOLTAGE, batteryStateOf } from '../../../derive/latest-values/battery-state.ts'
import type { InTurn } from '../../../lib/semaphore.ts'
import { badRequest } from '../../../model/errors.ts'
import { type DeviceId, SampleLayout } from '../../../model/sample.ts'
import type { TimeRange } from '../../../model/time-range.ts'
import { utf8Bytes } from '../../../server/http/reply.ts'
import {
  type HourColumns,
  type Interval,
  isRolledUp,
  numberOf,
  type RawConnection,
  type RawSample,
  readRolledSeries,
  readSamples,
  textsOf,
  withRawConnection,
} from '../../../store/index.ts'
import { compareNames, type EventSlot, eventTemplates, snakeTail, type TemplateOf } from '../../event-json.ts'
import { byteFrame } from './page.ts'
import { type EventScope, findIntervals, type TypeSelection, timeRange } from './query.ts'
import type { EventListQuery } from './schema.ts'
import { bucketsOf, isOfHours, type Point, Thinning } from './thinning.ts'

interface ThinnedRequest {
  readonly scope: EventScope
  /** The event types are named, and none of them is GEO. */
  readonly selection: TypeSelection
  readonly thinned: ThinnedQuery
}

/** Events that draw the same chart as all of them, by time, then type, then device.
 * @param inTurn reads one chunk of samples per turn, so that a year does not keep a day waiting */
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

/** Series of very many events come from rollups, as far as there are any; shorter ones need their samples. */
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

/** Events in one thinned reply at most: they are held in memory until it is complete. */
const MOST_EVENTS = 100_000

interface ThinnedQuery {
  /** Both ends are finite. */
  readonly range: TimeRange
  readonly maxPoints: number
  readonly typeCount: number
}

/** @throws ClientError 400 naming what is missing or does not go together with `maxPoints`. */
export function readThinnedQuery(query: EventListQuery, maxPoints: number): ThinnedQuery {
  const { deviceId, vehicleId, tripId, eventType, fromTimestamp, toTimestamp } = query
  if (deviceId === undefined && vehicleId === undefined && tripId === undefined)
    throw badRequest('maxPoints needs deviceId, vehicleId or tripId.')
  for (const [name, value] of Object.entries({ fromTimestamp, toTimestamp, eventType }))
    if (value === undefined) throw badRequest(`maxPoints needs ${name}.`)
  for (const name of ['filterTimestamp', 'cursor'] as const)
    if (query[name] !== undefined) throw badRequest(`${name} cannot be combined with maxPoints.`)
  const types = eventType?.flatMap(name => eventTypeByName(name) ?? []) ?? []
  const geo = types.find(({ dataType }) => dataType === 'GEO')
  if (geo)
    throw badRequest(`eventType must not name ${geo.name} with maxPoints: a route has no lowest and highest point.`)
  return { range: timeRange(fromTimestamp, toTimestamp), maxPoints, typeCount: types.length }
}

function checkLength({ maxPoints, typeCount }: ThinnedQuery, devices: number): void {
  if (maxPoints * typeCount * devices <= MOST_EVENTS) return
  throw badRequest(
    `maxPoints times the event types times the devices of the range must be at most ${MOST_EVENTS}; ` +
      `here it is ${maxPoints} times ${typeCount} times ${devices}.`,
  )
}

interface Series {
  readonly deviceId: DeviceId
  readonly slot: EventSlot
  readonly thinning: Thinning
}

/** The values of event types of a device, hour by hour, ascending. */
type HoursOfTypes = ReadonlyMap<EventTypeId, HourColumns>

class SeriesInReading {
  readonly #createThinning: () => Thinning
  readonly #ofDevices = new Map<DeviceId, Map<EventTypeId, Series>>()

  constructor(createThinning: () => Thinning) {
    this.#createThinning = createThinning
  }

  all(): Series[] {
    return [...this.#ofDevices.values()].flatMap(ofDevice => [...ofDevice.values()])
  }

  /** Adds samples in the order of time, as far as their types are accepted. */
  async addSamples(chunks: AsyncIterable<readonly RawSample[]>, accept: (type: EventTypeId) => boolean): Promise<void> {
    const templateOf = eventTemplates(byteFrame, accept)
    for await (const samples of chunks) for (const sample of samples) this.#addSample(sample, templateOf)
  }

  /** @param chunks samples of that device in the order of time, none in one of the hours */
  async addRolled(deviceId: DeviceId, hours: HoursOfTypes, chunks: AsyncIterable<readonly RawSample[]>): Promise<void> {
    const templateOf = eventTemplates(byteFrame, type => hours.has(type))
    const rests = [...hours].flatMap(([type, ofType]) => {
      const [slot] = templateOf(SampleLayout.of([type])).slots
      return slot && ofType.length > 0 ? { thinning: this.#seriesOf(deviceId, slot).thinning, ofType, next: 0 } : []
    })
    const addBefore = (timeMs: number) => {
      for (const rest of rests)
        for (const firstMs = rest.ofType.column('firstMs'); rest.next < rest.ofType.length; rest.next++) {
          if ((firstMs[rest.next] as number) >= timeMs) break
          rest.thinning.addHour(rest.ofType, rest.next)
        }
    }
    for await (const samples of chunks)
      for (const sample of samples) {
        addBefore(sample.timeMs)
        this.#addSample(sample, templateOf)
      }
    addBefore(Number.POSITIVE_INFINITY)
  }

  #addSample(sample: RawSample, templateOf: TemplateOf): void {
    const { slots } = templateOf(sample.layout)
    const texts = slots.some(slot => slot.kind === 'STRING') ? textsOf(sample) : []
    for (const slot of slots) {
      const value = valueOf(slot, sample, texts)
      if (value === undefined) continue
      this.#seriesOf(sample.deviceId, slot).thinning.add({ timeMs: sample.timeMs, value })
    }
  }

  #seriesOf(deviceId: DeviceId, slot: EventSlot): Series {
    let ofDevice = this.#ofDevices.get(deviceId)
    if (!ofDevice) this.#ofDevices.set(deviceId, (ofDevice = new Map()))
    let series = ofDevice.get(slot.type)
    if (!series) ofDevice.set(slot.type, (series = { deviceId, slot, thinning: this.#createThinning() }))
    return series
  }
}

/** A BOOLEAN is 0 or 1; undefined where the voltage gives no battery state. */
function valueOf({ kind, index }: EventSlot, sample: RawSample, texts: readonly string[]) {
  if (kind === 'STRING') return texts[index]
  const value = numberOf(sample, index)
  return kind === 'BATTERY_STATE' ? batteryStateOf(value) : value
}
