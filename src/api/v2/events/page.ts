import { type EventTypeId, eventTypeById } from '../../../catalogue/event-types.ts'
import { numbersOf, type RawSample, textsOf } from '../../../store/samples/packed-samples.ts'
import { snakeEvent } from '../../event-json.ts'
import { compareNames, createLayouts, type Layout, type Slot, valueJson } from '../../raw-values.ts'

/** An event in a list: samples that belong together are one group, in which events go by name, then device. */
export interface EventPlace {
  readonly sample: RawSample
  readonly name: string
}

export interface PageOptions {
  readonly direction: 'ascending' | 'descending'
  readonly limit: number
  readonly accept: (type: EventTypeId) => boolean
  /** Whether two neighbours in the order of samples belong together. */
  readonly areTogether: (a: RawSample, b: RawSample) => boolean
  /** Whether an event was on the page before: asked of the first group only. */
  readonly wasBefore: ((event: EventPlace) => boolean) | undefined
}

export interface EventPage {
  /** Events as JSON, in ascending order: each text is one or more of them, separated by commas. */
  readonly texts: () => Generator<string>
  /** The last event in the direction of reading, when there are more after it. */
  readonly last: EventPlace | undefined
  /** The first event that was left out. */
  readonly firstLeftOut: EventPlace | undefined
}

/** The events of one sample, or of several that belong together, in ascending order. */
interface Part {
  readonly count: number
  readonly at: (index: number) => EventPlace
  readonly render: (from: number, to: number) => string
}

/**
 * Takes a page of events from samples in their order. Only as many samples are read as it needs, and they are kept as
 * they came from the database; values become JSON while the page is sent.
 */
export async function takePage(chunks: AsyncIterable<readonly RawSample[]>, options: PageOptions): Promise<EventPage> {
  const { direction, limit } = options
  const parts = await takeParts(chunks, options)
  if (direction === 'descending') parts.reverse()
  const count = parts.reduce((sum, part) => sum + part.count, 0)
  const skipped = direction === 'descending' ? Math.max(count - limit, 0) : 0
  const end = Math.min(skipped + limit, count)
  const isCut = count > limit
  return {
    *texts() {
      let start = 0
      for (const part of parts) {
        const from = Math.max(skipped - start, 0)
        const to = Math.min(end - start, part.count)
        if (from < to) yield part.render(from, to)
        start += part.count
      }
    },
    last: isCut ? eventAt(parts, direction === 'ascending' ? end - 1 : skipped) : undefined,
    firstLeftOut: isCut ? eventAt(parts, direction === 'ascending' ? end : skipped - 1) : undefined,
  }
}

/** Reads until there is one event more than the page holds, and the group of that one is complete. */
async function takeParts(
  chunks: AsyncIterable<readonly RawSample[]>,
  { limit, accept, areTogether, wasBefore }: PageOptions,
): Promise<Part[]> {
  const layouts = createLayouts(accept)
  const parts: Part[] = []
  let count = 0
  let group: RawSample[] = []
  const close = () => {
    const isFirst = parts.length === 0
    const part = isFirst && wasBefore ? withoutEarlier(group, layouts, wasBefore) : partOf(group, layouts)
    parts.push(part)
    count += part.count
  }
  for await (const samples of chunks)
    for (const sample of samples) {
      if (group[0] === undefined || areTogether(group[0], sample)) {
        group.push(sample)
        continue
      }
      close()
      if (count > limit) return parts
      group = [sample]
    }
  if (group.length > 0) close()
  return parts
}

type Layouts = (types: string) => Layout

function partOf(group: readonly RawSample[], layouts: Layouts): Part {
  const [single] = group
  return group.length === 1 && single
    ? partOfSample(single, layouts(single.shape.text))
    : partOfEvents(eventsOf(group, layouts))
}

function withoutEarlier(
  group: readonly RawSample[],
  layouts: Layouts,
  wasBefore: (event: EventPlace) => boolean,
): Part {
  return partOfEvents(eventsOf(group, layouts).filter(event => !wasBefore(event)))
}

function partOfSample(sample: RawSample, layout: Layout): Part {
  const slots = slotsOf(sample, layout)
  return {
    count: slots.length,
    at: index => placeOf(sample, slots[index]),
    render: (from, to) => renderSlots(sample, from === 0 && to === slots.length ? slots : slots.slice(from, to)),
  }
}

interface EventOfSample extends EventPlace {
  readonly slot: Slot
}

function partOfEvents(events: readonly EventOfSample[]): Part {
  return {
    count: events.length,
    at: index => events[index] ?? missing(),
    render: (from, to) =>
      events
        .slice(from, to)
        .map(({ sample, slot }) => renderSlots(sample, [slot]))
        .join(','),
  }
}

function eventsOf(group: readonly RawSample[], layouts: Layouts): EventOfSample[] {
  return group
    .flatMap(sample => slotsOf(sample, layouts(sample.shape.text)).map(slot => ({ slot, ...placeOf(sample, slot) })))
    .sort((a, b) => compareNames(a.name, b.name) || a.sample.deviceId - b.sample.deviceId)
}

/** The slots of a layout that have a value in this sample: a battery may have no state. */
function slotsOf(sample: RawSample, layout: Layout): Layout {
  if (!layout.some(slot => slot.kind === 'BATTERY_STATE')) return layout
  const values = { numbers: numbersOf(sample), texts: [] }
  return layout.filter(slot => slot.kind !== 'BATTERY_STATE' || valueJson(slot, values) !== undefined)
}

function renderSlots(sample: RawSample, slots: Layout): string {
  const values = { numbers: numbersOf(sample), texts: textsOf(sample) }
  const time = new Date(sample.timeMs).toISOString()
  const device = String(sample.deviceId)
  let text = ''
  for (const slot of slots) {
    if (text !== '') text += ','
    text += snakeEvent(slot.type, valueJson(slot, values) ?? 'null', device, time)
  }
  return text
}

function placeOf(sample: RawSample, slot: Slot | undefined): EventPlace {
  return { sample, name: eventTypeById(slot?.type ?? missing()).name }
}

function eventAt(parts: readonly Part[], index: number): EventPlace {
  let start = 0
  for (const part of parts) {
    if (index < start + part.count) return part.at(index - start)
    start += part.count
  }
  return missing()
}

function missing(): never {
  throw new Error('an event of the page is missing')
}
