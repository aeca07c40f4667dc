import type { EventTypeId } from '../../../catalogue/event-types.ts'
import { eventTypeById } from '../../../catalogue/event-types.ts'
import { numbersOf, type RawSample } from '../../../store/samples/reader.ts'
import { instantText, textItems } from '../../../store/values.ts'
import { snakeEvent } from '../../event-json.ts'
import { compareNames, createLayouts, type RawValues, valueJson } from '../../raw-values.ts'

/** The place of an event in a list: samples of equal `group` are one group, in it events go by name, then device. */
export interface EventPlace {
  readonly group: string
  readonly name: string
  readonly deviceId: number
}

/** What an event of a page consists of; rendered only when it is sent. */
interface EventRef {
  readonly sample: RawSample
  readonly type: EventTypeId
  readonly json: string
}

export interface PageOptions<S extends RawSample> {
  readonly direction: 'ascending' | 'descending'
  readonly limit: number
  /** Where the page before ended. */
  readonly after: EventPlace | undefined
  readonly accept: (type: EventTypeId) => boolean
  /** Samples with the same key are listed together. */
  readonly groupOf: (sample: S) => string
}

export interface EventPage<S extends RawSample> {
  /** The events as JSON, in ascending order. */
  readonly events: () => Generator<string>
  /** The sample and type of the last event in the direction of reading, when there are more after it. */
  readonly last: { readonly sample: S; readonly place: EventPlace } | undefined
  /** The sample of the first event that was left out. */
  readonly firstLeftOut: S | undefined
}

/**
 * Takes a page of events from samples in their order. Only as many samples are read as it needs, and they are kept as
 * they came from the database; values become JSON while the page is sent.
 */
export async function takePage<S extends RawSample>(
  samples: AsyncIterable<S>,
  options: PageOptions<S>,
): Promise<EventPage<S>> {
  const { direction, limit, groupOf } = options
  const layouts = createLayouts(options.accept)
  const isBeyond = beyond(options)
  const groups: S[][] = []
  let count = 0
  let group: S[] = []
  const close = () => {
    if (group.length === 0) return
    groups.push(group)
    for (const ref of eventsOfGroup(group, layouts)) if (isBeyond(ref, groupOf(group[0] as S))) count++
    group = []
  }
  for await (const sample of samples) {
    if (group[0] && groupOf(group[0]) !== groupOf(sample)) {
      close()
      if (count > limit) break
    }
    group.push(sample)
  }
  close()
  if (direction === 'descending') groups.reverse()
  const skipped = direction === 'descending' ? Math.max(count - limit, 0) : 0

  function* all(): Generator<{ readonly ref: EventRef; readonly sample: S }> {
    for (const members of groups)
      for (const ref of eventsOfGroup(members, layouts))
        if (isBeyond(ref, groupOf(members[0] as S))) yield { ref, sample: ref.sample as S }
  }
  function* page(): Generator<{ readonly ref: EventRef; readonly sample: S }> {
    let index = 0
    for (const item of all()) {
      if (index >= skipped + limit) return
      if (index++ >= skipped) yield item
    }
  }
  const ends = count > limit ? pageEnds(all(), skipped, limit, direction) : undefined
  return {
    *events() {
      for (const { ref } of page()) yield eventJson(ref)
    },
    last: ends?.last && { sample: ends.last.sample, place: placeOf(ends.last.ref, groupOf(ends.last.sample)) },
    firstLeftOut: ends?.leftOut?.sample,
  }
}

/** The last event of a page in the direction of reading, and the first one after it. */
function pageEnds<T>(events: Generator<T>, skipped: number, limit: number, direction: 'ascending' | 'descending') {
  const lastIndex = direction === 'ascending' ? limit - 1 : skipped
  const leftOutIndex = direction === 'ascending' ? limit : skipped - 1
  let last: T | undefined
  let leftOut: T | undefined
  let index = 0
  for (const event of events) {
    if (index === lastIndex) last = event
    if (index === leftOutIndex) leftOut = event
    if (index++ >= Math.max(lastIndex, leftOutIndex)) break
  }
  return { last, leftOut }
}

function beyond<S extends RawSample>({ after, direction }: PageOptions<S>): (ref: EventRef, group: string) => boolean {
  if (!after) return () => true
  const sign = direction === 'ascending' ? 1 : -1
  return (ref, group) => group !== after.group || comparePlaces(placeOf(ref, group), after) * sign > 0
}

function placeOf({ sample, type }: EventRef, group: string): EventPlace {
  return { group, name: eventTypeById(type).name, deviceId: Number(sample.deviceId) }
}

function comparePlaces(a: EventPlace, b: EventPlace): number {
  return compareNames(a.name, b.name) || a.deviceId - b.deviceId
}

function* eventsOfGroup(samples: readonly RawSample[], layouts: ReturnType<typeof createLayouts>): Generator<EventRef> {
  const [single] = samples
  if (samples.length === 1 && single) yield* eventsOfSample(single, layouts)
  else
    yield* samples
      .flatMap(sample => [...eventsOfSample(sample, layouts)])
      .sort((a, b) => comparePlaces(placeOf(a, ''), placeOf(b, '')))
}

function* eventsOfSample(sample: RawSample, layouts: ReturnType<typeof createLayouts>): Generator<EventRef> {
  let values: RawValues | undefined
  for (const slot of layouts(sample.shape.text)) {
    values ??= { numbers: numbersOf(sample), texts: sample.texts === null ? [] : textItems(sample.texts) }
    const json = valueJson(slot, values)
    if (json !== undefined) yield { sample, type: slot.type, json }
  }
}

function eventJson({ sample, type, json }: EventRef): string {
  return snakeEvent(type, json, sample.deviceId, `${instantText(sample.time).slice(0, 23)}Z`)
}
