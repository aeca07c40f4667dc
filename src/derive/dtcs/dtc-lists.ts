import type { DeviceId, Sample } from '../../model/sample.ts'
import { type Assignment, assignmentAt, type DeviceRecord } from '../device-records/device-records.ts'
import { LIST_KINDS, type ListKind, listTextIn, listType, readList } from './derive/list.ts'
import type { ChangedList, ChangedSeries } from './rows/apply-lists.ts'

/** The changes of a batch to samples, as far as lists of codes need them. */
export interface StoredSamples {
  /** Samples at new keys. */
  readonly inserts: readonly Sample[]
  /** Samples whose key exists, with their union. */
  readonly replacements: readonly Sample[]
  /** What is stored at the keys of the replacements. */
  readonly existing: readonly Sample[]
}

/**
 * The lists in a batch that can change codes. A list that repeats the newest one is dropped here, so it costs only this
 * comparison.
 * @param records of every device in the batch, as they were before it
 */
export function changedDtcLists(
  { inserts, replacements, existing }: StoredSamples,
  records: ReadonlyMap<DeviceId, DeviceRecord>,
): ChangedSeries[] {
  const texts = new Map<string, TextSeries>()
  for (const [sample, kinds] of withLists(inserts))
    for (const kind of kinds) addText(texts, records, kind, sample, undefined)
  const replaced = withLists(replacements)
  if (replaced.length > 0) {
    const before = new Map(existing.map(sample => [keyOf(sample), sample]))
    for (const [sample, kinds] of replaced) {
      const stored = before.get(keyOf(sample))
      for (const kind of kinds) addText(texts, records, kind, sample, stored && listTextIn(stored, kind))
    }
  }
  return [...texts.values()].flatMap(tellingLists)
}

/** The samples that contain lists, and of which kinds. Most have none, and samples of a dongle mostly share their types. */
function withLists(samples: readonly Sample[]): (readonly [Sample, readonly ListKind[]])[] {
  const found: (readonly [Sample, readonly ListKind[]])[] = []
  let types: Sample['types'] | undefined
  let kinds: readonly ListKind[] = []
  for (const sample of samples) {
    if (sample.texts.length === 0) continue
    if (sample.types !== types) {
      types = sample.types
      kinds = LIST_KINDS.filter(kind => sample.types.includes(listType(kind)))
    }
    if (kinds.length > 0) found.push([sample, kinds])
  }
  return found
}

interface ListText {
  readonly timeMs: number
  readonly text: string
  readonly isAdded: boolean
}

interface TextSeries {
  readonly deviceId: DeviceId
  readonly assignment: Assignment
  readonly kind: ListKind
  /** The newest list before the batch. */
  readonly newest: { readonly timeMs: number; readonly text: string } | undefined
  readonly lists: ListText[]
}

function addText(
  texts: Map<string, TextSeries>,
  records: ReadonlyMap<DeviceId, DeviceRecord>,
  kind: ListKind,
  sample: Sample,
  textBefore: string | undefined,
): void {
  const { deviceId, timeMs } = sample
  const text = listTextIn(sample, kind) ?? ''
  const record = records.get(deviceId)
  const assignment = record && assignmentAt(record, timeMs)
  if (!record || !assignment || text === textBefore) return
  const key = `${kind} ${deviceId} ${assignment.fromMs}`
  const series = texts.get(key) ?? { deviceId, assignment, kind, newest: newestIn(record, assignment, kind), lists: [] }
  series.lists.push({ timeMs, text, isAdded: textBefore === undefined })
  texts.set(key, series)
}

/** A dongle that returns to a car starts with no codes there: those from before it left do not count. */
function newestIn(record: DeviceRecord, { vehicleId, fromMs }: Assignment, kind: ListKind): TextSeries['newest'] {
  const latest = record.latestByVehicle.get(vehicleId)?.get(listType(kind))
  if (!latest || typeof latest.value !== 'string' || latest.timeMs < fromMs) return undefined
  return { timeMs: latest.timeMs, text: latest.value }
}

function tellingLists({ newest, lists, ...series }: TextSeries): ChangedSeries[] {
  const [first, ...others] = withoutRepeats(lists, newest).map(
    ({ text, timeMs, isAdded }): ChangedList => ({ ...readList(timeMs, text), isAdded }),
  )
  return first ? [{ ...series, lists: [first, ...others], newestMs: newest?.timeMs }] : []
}

/** The lists by time, without new lists at the end that repeat their predecessor. */
function withoutRepeats(lists: readonly ListText[], newest: TextSeries['newest']): ListText[] {
  let before = newest?.text ?? ''
  return [...lists]
    .sort((a, b) => a.timeMs - b.timeMs)
    .filter(({ timeMs, text, isAdded }) => {
      if (newest && timeMs < newest.timeMs) return true
      const isRepeat = isAdded && text === before
      before = text
      return !isRepeat
    })
}

function keyOf({ deviceId, timeMs }: Sample): string {
  return `${deviceId} ${timeMs}`
}
