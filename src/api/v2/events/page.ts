import type { EventType, EventTypeId } from '../../../catalogue/event-types.ts'
import { batteryStateOf } from '../../../derive/latest-values/battery-state.ts'
import { utf8Bytes } from '../../../server/http/reply.ts'
import { numberOf, numbersOf, type RawSample, textsOf } from '../../../store/index.ts'
import {
  compareNames,
  type EventFrame,
  type EventSlot,
  type EventTemplate,
  eventTemplates,
  type RawValues,
  snakeFrame,
  snakeTail,
  type TemplateOf,
  valueJson,
} from '../../event-json.ts'

/** An event in a list: samples that belong together form a group, in which events are ordered by name, then device. */
export interface ListedEvent {
  readonly sample: RawSample
  readonly name: string
}

interface PageOptions {
  readonly direction: 'ascending' | 'descending'
  readonly limit: number
  /** Gets what was taken, so that it knows how much to read. */
  readonly pace: ReadingPace
  readonly accept: (type: EventTypeId) => boolean
  /** Neighbours in the order of samples that belong together. */
  readonly areTogether: (a: RawSample, b: RawSample) => boolean
  /** For the first group: events that were on the page before. */
  readonly wasBefore: ((event: ListedEvent) => boolean) | undefined
}

export interface EventPage {
  /** Events as JSON, as `utf8Bytes`, in ascending order: each text is one or more of them, separated by commas. */
  readonly texts: () => Generator<string>
  /** The last event in the direction of reading, when there are more after it. */
  readonly last: ListedEvent | undefined
  readonly firstLeftOut: ListedEvent | undefined
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

interface EventOfSample extends ListedEvent {
  readonly slot: EventSlot
}

/** Reads only as many samples as needed; values become JSON while the page is sent. */
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
      let start = 0
      for (const part of parts) {
        const from = Math.max(skipped - start, 0)
        const to = Math.min(end - start, countOf(part))
        if (from < to) yield render(part, from, to)
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
  wasBefore: (event: ListedEvent) => boolean,
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

function render(part: Part, from: number, to: number): string {
  if ('slots' in part) return eventsText(part.sample, part.slots.slice(from, to))
  return part.events
    .slice(from, to)
    .map(({ sample, slot }) => eventsText(sample, [slot]))
    .join(',')
}

/** The JSON around a value, as `utf8Bytes`. */
export function byteFrame(type: EventType): EventFrame {
  const { before, after } = snakeFrame(type)
  return { before: utf8Bytes(before), after: utf8Bytes(after) }
}

function eventAt(parts: readonly Part[], index: number): ListedEvent {
  let start = 0
  for (const part of parts) {
    const count = countOf(part)
    if (index < start + count) return placeIn(part, index - start)
    start += count
  }
  return missing()
}

function placeIn(part: Part, index: number): ListedEvent {
  if (!('slots' in part)) return part.events[index] ?? missing()
  return { sample: part.sample, name: part.slots[index]?.name ?? missing() }
}

function missing(): never {
  throw new Error('an event of the page is missing')
}

/** The events of some slots of a sample as JSON, as `utf8Bytes`, separated by commas. */
export function eventsText(sample: RawSample, slots: readonly EventSlot[]): string {
  const values = valuesOf(sample, slots)
  const tail = snakeTail(sample.deviceId, new Date(sample.timeMs).toISOString())
  let text = ''
  for (const slot of slots) {
    if (text !== '') text += ','
    text += textOfSlot(slot, values) + tail
  }
  return text
}

function textOfSlot(slot: EventSlot, values: RawValues): string {
  const json = valueJson(slot, values) ?? 'null'
  // Only texts can contain characters beyond ASCII.
  return slot.before + (slot.kind === 'STRING' ? utf8Bytes(json) : json) + slot.after
}

/** The values that slots of a sample need, so that a sealed day is unpacked only so far. */
function valuesOf(sample: RawSample, slots: readonly EventSlot[]): RawValues {
  if (slots.length > FEW_SLOTS) return { numbers: numbersOf(sample), texts: textsOf(sample) }
  const texts = slots.some(({ kind }) => kind === 'STRING') ? textsOf(sample) : []
  const numbers: number[] = []
  for (const { kind, index } of slots) {
    if (kind === 'STRING') continue
    numbers[index] = numberOf(sample, index)
    if (kind === 'GEO') numbers[index + 1] = numberOf(sample, index + 1)
  }
  return { numbers, texts }
}

/** Of more, all numbers of a sample are read faster at once. */
const FEW_SLOTS = 3

/** Events in one sample of a dongle with everything switched on; many have fewer. */
const EVENTS_OF_A_RICH_SAMPLE = 20
/** Fewer are not worth a round trip. */
const LEAST_SAMPLES = 20
/** So that a page is seldom a few samples short because they hold fewer events than those before. */
const SPARE = 1.03

/**
 * Decides how many samples to read at once for a page of events. The number of events per sample is only known from
 * samples already read, and reading a sample that is not sent costs as much as one that is.
 */
export class ReadingPace {
  /** Events: one more than fits on the page shows that it is not the last page. */
  readonly #wanted: number
  #samples = 0
  #events = 0

  constructor(limit: number) {
    this.#wanted = limit + 1
  }

  /** Notes how many samples were read, and how many events for the page they had. */
  read(samples: number, events: number): void {
    this.#samples += samples
    this.#events += events
  }

  /** @returns a number of samples; infinite when none so far had an event for the page */
  get nextSamples(): number {
    const each = this.#samples === 0 ? EVENTS_OF_A_RICH_SAMPLE : this.#events / this.#samples
    return Math.max(LEAST_SAMPLES, Math.ceil((SPARE * (this.#wanted - this.#events)) / each))
  }
}
