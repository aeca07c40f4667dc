import type { EventType, EventTypeId } from '../../../catalogue/event-types.ts'
import { batteryStateOf } from '../../../derive/latest-values/derive/battery-state.ts'
import { utf8Bytes } from '../../../server/http/reply.ts'
import { numberOf, type RawSample } from '../../../store/index.ts'
import { type EventFrame, snakeFrame } from '../../event-json.ts'
import { compareNames, type EventSlot, type EventTemplate, eventTemplates, type TemplateOf } from '../../raw-values.ts'
import { EventWriter, eventText } from './event-writer.ts'
import type { ReadingPace } from './reading-pace.ts'

/** An event in a list: samples that belong together form a group, in which events are ordered by name, then device. */
export interface EventPlace {
  readonly sample: RawSample
  readonly name: string
}

interface PageOptions {
  readonly direction: 'ascending' | 'descending'
  readonly limit: number
  /** Gets what was taken, so that it knows how much to read. */
  readonly pace: ReadingPace
  readonly accept: (type: EventTypeId) => boolean
  /** Whether two neighbours in the order of samples belong together. */
  readonly areTogether: (a: RawSample, b: RawSample) => boolean
  /** Whether an event was on the page before; called for the first group only. */
  readonly wasBefore: ((event: EventPlace) => boolean) | undefined
}

export interface EventPage {
  /** Events as JSON, as `utf8Bytes`, in ascending order: each text is one or more of them, separated by commas. */
  readonly texts: () => Generator<string>
  /** The last event in the direction of reading, when there are more after it. */
  readonly last: EventPlace | undefined
  /** The first event that was left out. */
  readonly firstLeftOut: EventPlace | undefined
}

/** One sample with the events of it that are shown, or the events of several that belong together. */
type Part = SamplePart | GroupPart

interface SamplePart {
  readonly sample: RawSample
  readonly slots: readonly EventSlot[]
}

interface GroupPart {
  readonly events: readonly EventOfSample[]
}

interface EventOfSample extends EventPlace {
  readonly slot: EventSlot
}

/**
 * Takes a page of events from samples in their order. Reads only as many samples as needed, and keeps them in the form
 * that the database sent; values become JSON while the page is sent.
 */
export async function takePage(chunks: AsyncIterable<readonly RawSample[]>, options: PageOptions): Promise<EventPage> {
  const { direction, limit } = options
  const parts = await takeParts(chunks, options)
  if (direction === 'descending') parts.reverse()
  const count = parts.reduce((sum, part) => sum + countOf(part), 0)
  const skipped = direction === 'descending' ? Math.max(count - limit, 0) : 0
  const end = Math.min(skipped + limit, count)
  const isCut = count > limit
  return {
    *texts() {
      const writer = new EventWriter()
      let start = 0
      for (const part of parts) {
        const from = Math.max(skipped - start, 0)
        const to = Math.min(end - start, countOf(part))
        if (from < to) yield render(writer, part, from, to)
        start += countOf(part)
      }
    },
    last: isCut ? eventAt(parts, direction === 'ascending' ? end - 1 : skipped) : undefined,
    firstLeftOut: isCut ? eventAt(parts, direction === 'ascending' ? end : skipped - 1) : undefined,
  }
}

/** Reads until there is one event more than fits on the page, and the group of that event is complete. */
async function takeParts(
  chunks: AsyncIterable<readonly RawSample[]>,
  { limit, pace, accept, areTogether, wasBefore }: PageOptions,
): Promise<Part[]> {
  const templateOf = eventTemplates(byteFrame, accept)
  const parts: Part[] = []
  let count = 0
  let group: RawSample[] = []
  const close = () => {
    const isFirst = parts.length === 0
    const part = isFirst && wasBefore ? withoutEarlier(group, templateOf, wasBefore) : partOf(group, templateOf)
    parts.push(part)
    count += countOf(part)
    pace.read(group.length, countOf(part))
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

function partOf(group: readonly RawSample[], templateOf: TemplateOf): Part {
  const [single] = group
  if (group.length !== 1 || !single) return { events: eventsOf(group, templateOf) }
  return { sample: single, slots: slotsOf(single, templateOf(single.layout)) }
}

function withoutEarlier(
  group: readonly RawSample[],
  templateOf: TemplateOf,
  wasBefore: (event: EventPlace) => boolean,
): Part {
  return { events: eventsOf(group, templateOf).filter(event => !wasBefore(event)) }
}

function eventsOf(group: readonly RawSample[], templateOf: TemplateOf): EventOfSample[] {
  return group
    .flatMap(sample => slotsOf(sample, templateOf(sample.layout)).map(slot => ({ sample, slot, name: slot.name })))
    .sort((a, b) => compareNames(a.name, b.name) || a.sample.deviceId - b.sample.deviceId)
}

/** The slots of a layout that have a value in this sample: a voltage may give no battery state. */
function slotsOf(sample: RawSample, { slots, derived }: EventTemplate): readonly EventSlot[] {
  if (!derived) return slots
  return batteryStateOf(numberOf(sample, derived.voltageAt)) === undefined ? derived.slotsWithout : slots
}

function countOf(part: Part): number {
  return 'slots' in part ? part.slots.length : part.events.length
}

function render(writer: EventWriter, part: Part, from: number, to: number): string {
  if ('slots' in part) return writer.write(part.sample, part.slots, from, to)
  return part.events
    .slice(from, to)
    .map(({ sample, slot }) => eventText(sample, slot))
    .join(',')
}

/** The JSON around a value, as `utf8Bytes`. */
export function byteFrame(type: EventType): EventFrame {
  const { before, after } = snakeFrame(type)
  return { before: utf8Bytes(before), after: utf8Bytes(after) }
}

function eventAt(parts: readonly Part[], index: number): EventPlace {
  let start = 0
  for (const part of parts) {
    const count = countOf(part)
    if (index < start + count) return placeIn(part, index - start)
    start += count
  }
  return missing()
}

function placeIn(part: Part, index: number): EventPlace {
  if (!('slots' in part)) return part.events[index] ?? missing()
  return { sample: part.sample, name: part.slots[index]?.name ?? missing() }
}

function missing(): never {
  throw new Error('an event of the page is missing')
}
