import type { DeviceId, Sample } from '../../model/sample.ts'
import { type Assignment, assignmentAt, type DeviceRecord } from '../device-records.ts'
import type { DerivedDevice } from '../fact.ts'
import { LIST_KINDS, type ListKind, listTextIn, listType, readList } from './derive/list.ts'
import type { ChangedSeries } from './rows/apply-lists.ts'

/**
 * The lists in changed samples that can change codes. A list that repeats the newest one is dropped here, so it costs only this
 * comparison.
 */
export function changedDtcLists(devices: readonly Pick<DerivedDevice, 'record' | 'samples'>[]): ChangedSeries[] {
  const texts = new Map<string, TextSeries>()
  for (const { record, samples } of devices)
    for (const [sample, kinds] of withLists(samples)) for (const kind of kinds) addText(texts, record, kind, sample)
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
}

interface TextSeries {
  readonly deviceId: DeviceId
  readonly assignment: Assignment
  readonly kind: ListKind
  /** The newest list before these samples. */
  readonly newest: ListText | undefined
  readonly lists: ListText[]
}

function addText(texts: Map<string, TextSeries>, record: DeviceRecord, kind: ListKind, sample: Sample): void {
  const { deviceId, timeMs } = sample
  const assignment = assignmentAt(record, timeMs)
  if (!assignment) return
  const key = `${kind} ${deviceId} ${assignment.fromMs}`
  const series = texts.get(key) ?? { deviceId, assignment, kind, newest: newestIn(record, assignment, kind), lists: [] }
  series.lists.push({ timeMs, text: listTextIn(sample, kind) ?? '' })
  texts.set(key, series)
}

/** A dongle that returns to a car starts with no codes there: those from before it left do not count. */
function newestIn(record: DeviceRecord, { vehicleId, fromMs }: Assignment, kind: ListKind): TextSeries['newest'] {
  const latest = record.latestByVehicle.get(vehicleId)?.get(listType(kind))
  if (!latest || typeof latest.value !== 'string' || latest.timeMs < fromMs) return undefined
  return { timeMs: latest.timeMs, text: latest.value }
}

function tellingLists({ newest, lists, ...series }: TextSeries): ChangedSeries[] {
  const [first, ...others] = withoutRepeats(lists, newest).map(({ text, timeMs }) => readList(timeMs, text))
  return first ? [{ ...series, lists: [first, ...others], newestMs: newest?.timeMs }] : []
}

/** The lists by time, without new lists at the end that repeat their predecessor. */
function withoutRepeats(lists: readonly ListText[], newest: TextSeries['newest']): ListText[] {
  let before = newest?.text ?? ''
  return lists.filter(({ timeMs, text }) => {
    if (newest && timeMs < newest.timeMs) return true
    const isRepeat = text === before
    before = text
    return !isRepeat
  })
}
