import { insertOf, revised, unnestOf, updateOf } from '../../db/bulk-rows.ts'
import type { LockedDevice, LockedDevices } from '../../db/shards.ts'
import { sql } from '../../db/sql.ts'
import type { Transaction } from '../../db/transaction.ts'
import { instantMs, instantOfMs } from '../../db/values.ts'
import type { DeviceId, Sample } from '../../model/sample.ts'
import { holdKeptSince, readOldestWith } from '../../store/index.ts'

import { unnestSpans } from '../assignment-rows.ts'
import { type Assignment, assignmentAt, type DeviceRecord } from '../device-records.ts'
import type { DerivedDevice } from '../fact.ts'
import {
  type CodeInterval,
  type CodeList,
  differenceOf,
  type IntervalChanges,
  isAsKnown,
  LIST_KINDS,
  type ListKind,
  listTextIn,
  listType,
  readList,
  type StoredInterval,
  type Stretch,
  withStretch,
} from './dtc-intervals.ts'

/** The lists of a series in changed samples; at least one. */
interface ChangedSeries extends ListSeries {
  /** Ascending. */
  readonly lists: readonly [CodeList, ...CodeList[]]
  /** The time of the newest list of the series before them; undefined when there was none. */
  readonly newestMs: number | undefined
}

/** Updates the codes after lists changed, from each of them to the next list that did not.
 * The samples are stored already. */
export async function applyDtcLists(locked: LockedDevices, changed: readonly ChangedSeries[]): Promise<void> {
  if (changed.length === 0) return
  const { transaction } = locked
  const stored = await readIntervals(
    transaction,
    changed.map(series => ({ ...series, fromMs: series.lists[0].timeMs })),
  )
  const keptSinceMs = changed.some(hasOutOfOrderLists) ? await holdKeptSince(transaction) : Number.NEGATIVE_INFINITY
  const changes: PlaceChanges[] = []
  for (const [index, series] of changed.entries()) {
    const before = stored[index] ?? []
    const after = await intervalsAfter(transaction, series, before, keptSinceMs)
    changes.push({ ...placeOf(series), ...differenceOf(before, after) })
  }
  await writeIntervalChanges(locked, changes)
}

/** All lists from there on are among the changed ones. */
function isInOrder({ newestMs }: ChangedSeries, timeMs: number): boolean {
  return newestMs === undefined || timeMs >= newestMs
}

function hasOutOfOrderLists(series: ChangedSeries): boolean {
  return !isInOrder(series, series.lists[0].timeMs)
}

/** Between changed lists that are closer than this, all lists are read at once. */
const SAME_STRETCH_MS = 24 * 3_600_000

async function intervalsAfter(
  transaction: Transaction,
  series: ChangedSeries,
  stored: readonly StoredInterval[],
  keptSinceMs: number,
): Promise<readonly CodeInterval[]> {
  let intervals: readonly CodeInterval[] = stored
  // Codes from before retention cannot be derived again, because the lists are gone.
  const lists = series.lists.filter(({ timeMs }) => timeMs >= keptSinceMs || isInOrder(series, timeMs))
  // A list that arrives out of order mostly repeats what was known; then nothing has to be read.
  const firstTelling = lists.findIndex(list => !isAsKnown(list, stored))
  let pending = firstTelling < 0 ? [] : lists.slice(firstTelling)
  while (true) {
    const [first] = pending
    if (!first) return intervals
    if (isInOrder(series, first.timeMs))
      return withStretch(intervals, { fromMs: first.timeMs, lists: pending, goesOn: false })
    const stretch = await readStretchOfLists(transaction, series, pending)
    intervals = withStretch(intervals, stretch)
    const lastMs = stretch.lists.at(-1)?.timeMs ?? first.timeMs
    pending = stretch.goesOn ? pending.filter(({ timeMs }) => timeMs > lastMs) : []
  }
}

/** All lists from the first changed one up to one that did not change and is well before the next changed one. */
async function readStretchOfLists(
  transaction: Transaction,
  { deviceId, assignment, kind }: ListSeries,
  changed: readonly CodeList[],
): Promise<Stretch> {
  const changedMs = changed.map(({ timeMs }) => timeMs)
  const fromMs = changedMs[0] ?? assignment.fromMs
  let next = 0
  const lists: CodeList[] = []
  const samples = readOldestWith(transaction, [listType(kind)], { deviceId, fromMs, toMs: assignment.toMs })
  for await (const sample of samples) {
    const { timeMs } = sample
    const list = readList(timeMs, listTextIn(sample, kind) ?? '')
    lists.push(list)
    if (timeMs === changedMs[next]) next++
    else if (list.codes && (changedMs[next] ?? Number.POSITIVE_INFINITY) > timeMs + SAME_STRETCH_MS)
      return { fromMs, lists, goesOn: true }
  }
  return { fromMs, lists, goesOn: false }
}

/** The lists in changed samples that can change codes. One that repeats the newest is
 * dropped, and costs this comparison only. */
export function changedDtcLists(devices: readonly Pick<DerivedDevice, 'record' | 'samples'>[]): ChangedSeries[] {
  const texts = new Map<string, TextSeries>()
  for (const { record, samples } of devices)
    for (const sample of samples)
      for (const kind of LIST_KINDS)
        if (sample.texts.length > 0 && sample.types.includes(listType(kind))) addText(texts, record, kind, sample)
  return [...texts.values()].flatMap(tellingLists)
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

/** Derives the codes of a device again and writes the differences, which it returns. Codes that began before the oldest
 * kept sample stay, because the samples are gone. @param assignments all of the device */
export async function rederiveDtcs(locked: LockedDevice, assignments: readonly Assignment[]): Promise<PlaceChanges[]> {
  const { transaction, deviceId } = locked
  const keptSinceMs = await holdKeptSince(transaction)
  const misplaced = await readMisplaced(transaction, deviceId, assignments, keptSinceMs)
  const changes: PlaceChanges[] = misplaced.map(({ interval, ...place }) => ({
    ...place,
    added: [],
    changed: [],
    retracted: [interval],
  }))
  for (const assignment of assignments)
    for (const kind of LIST_KINDS)
      changes.push(await changesOfSeries(transaction, { deviceId, assignment, kind }, keptSinceMs))
  const found = changes.filter(({ added, changed, retracted }) => added.length + changed.length + retracted.length > 0)
  await writeIntervalChanges(locked, found)
  return found
}

async function changesOfSeries(transaction: Transaction, series: ListSeries, fromMs: number): Promise<PlaceChanges> {
  const [stored = []] = await readIntervals(transaction, [{ ...series, fromMs }])
  const lists = await readLists(transaction, series, fromMs)
  return { ...placeOf(series), ...differenceOf(stored, withStretch(stored, { fromMs, lists, goesOn: false })) }
}

/** The lists of a series, without those that repeat their predecessor. */
async function readLists(
  transaction: Transaction,
  { deviceId, assignment, kind }: ListSeries,
  sinceMs: number,
): Promise<CodeList[]> {
  const lists: CodeList[] = []
  const range = { deviceId, fromMs: Math.max(assignment.fromMs, sinceMs), toMs: assignment.toMs }
  let before: string | undefined
  for await (const sample of readOldestWith(transaction, [listType(kind)], range)) {
    const text = listTextIn(sample, kind) ?? ''
    if (text !== before) lists.push(readList(sample.timeMs, text))
    before = text
  }
  return lists
}

type PlaceChanges = CodePlace & IntervalChanges

/** Writes the changes; every row gets its own revision. */
async function writeIntervalChanges(locked: LockedDevices, changes: readonly PlaceChanges[]): Promise<void> {
  const transaction = locked.transactionFor(changes)
  const added = changes.flatMap(place => place.added.map(interval => ({ place, interval })))
  const changed = changes.flatMap(place => place.changed.map(interval => ({ place, interval })))
  const retracted = changes.flatMap(place => place.retracted.map(interval => ({ place, interval })))
  if (added.length > 0)
    await transaction.rows(insertOf('dtcs', await revised(transaction, added.map(newRow))), { prepareAs: 'add-dtcs' })
  const rows = [...changed.map(changedRow), ...retracted.map(retractedRow)]
  if (rows.length > 0)
    await transaction.rows(updateOf('dtcs', ['device_id', 'id'], await revised(transaction, rows)), {
      prepareAs: 'change-dtcs',
    })
}

interface Placed<Interval> {
  readonly place: CodePlace
  readonly interval: Interval
}

function newRow({ place, interval }: Placed<CodeInterval>) {
  return {
    device_id: place.deviceId,
    account_id: place.accountId,
    vehicle_id: place.vehicleId,
    ecu_type_id: interval.ecuTypeId,
    code: interval.code,
    dtc_type: interval.isFreezeFrame ? 'FREEZEFRAME' : place.kind,
    frame_list: interval.isFreezeFrame ? place.kind : null,
    ...valuesOf(interval),
  }
}

function changedRow({ place, interval }: Placed<StoredInterval>) {
  return { device_id: place.deviceId, id: interval.id, ...valuesOf(interval), is_retracted: false }
}

/** A retracted code ends when it began. Its row stays, because clients may have read it. */
function retractedRow({ place, interval }: Placed<StoredInterval>) {
  return { ...changedRow({ place, interval }), deleted: interval.recordedMs, is_retracted: true }
}

function valuesOf({ encoded, encoding, recordedMs, deletedMs }: CodeInterval) {
  return { encoded, encoding, recorded: recordedMs, deleted: deletedMs ?? null }
}

/** A series of lists that are compared with each other: one kind, from one device, while it was in one vehicle. */
interface ListSeries {
  readonly deviceId: DeviceId
  readonly assignment: Assignment
  readonly kind: ListKind
}

interface CodePlace {
  readonly deviceId: DeviceId
  readonly accountId: number
  readonly vehicleId: number
  readonly kind: ListKind
}

function placeOf({ deviceId, assignment: { accountId, vehicleId }, kind }: ListSeries): CodePlace {
  return { deviceId, accountId, vehicleId, kind }
}

interface DtcRow extends Omit<StoredInterval, 'recordedMs' | 'deletedMs'> {
  readonly recorded: string
  readonly deleted: string | null
}

const COLUMNS = sql`
  d.id, d.ecu_type_id as "ecuTypeId", d.code, d.encoded, d.encoding, d.dtc_type = 'FREEZEFRAME' as "isFreezeFrame",
  d.recorded, d.deleted`

/** The stored intervals of each series, in the order of `wanted`, that were current then or
 * began later; no retracted ones. */
async function readIntervals(
  transaction: Transaction,
  wanted: readonly (ListSeries & { readonly fromMs: number })[],
): Promise<StoredInterval[][]> {
  const rows = await transaction.rows<DtcRow & { readonly series: number }>(
    sql`
      select w.series, ${COLUMNS}
      from unnest(
        ${wanted.map(item => item.deviceId)}::bigint[],
        ${wanted.map(item => item.assignment.vehicleId)}::bigint[],
        ${wanted.map(item => instantOfMs(item.assignment.fromMs))}::timestamptz[],
        ${wanted.map(item => instantOfMs(item.assignment.toMs))}::timestamptz[],
        ${wanted.map(item => item.kind)}::text[],
        ${wanted.map(item => instantOfMs(item.fromMs))}::timestamptz[]
      ) with ordinality as w (device_id, vehicle_id, assigned, moved, kind, from_time, series)
      join dtcs d on d.device_id = w.device_id and d.vehicle_id = w.vehicle_id and not d.is_retracted
        and d.recorded >= w.assigned and d.recorded < w.moved and coalesce(d.frame_list, d.dtc_type) = w.kind
        and (d.deleted is null or d.deleted >= w.from_time)
      order by d.recorded, d.id`,
    { prepareAs: 'dtc-intervals' },
  )
  const intervals: StoredInterval[][] = wanted.map(() => [])
  for (const { series, ...row } of rows) intervals[series - 1]?.push(intervalOf(row))
  return intervals
}

/** The stored intervals from an instant on in vehicles that the device was not in: its assignments changed since. */
async function readMisplaced(
  transaction: Transaction,
  deviceId: DeviceId,
  assignments: readonly Assignment[],
  fromMs: number,
): Promise<(CodePlace & { readonly interval: StoredInterval })[]> {
  const rows = await transaction.rows<DtcRow & Omit<CodePlace, 'deviceId'>>(sql`
    select d.account_id as "accountId", d.vehicle_id as "vehicleId", coalesce(d.frame_list, d.dtc_type) as kind, ${COLUMNS}
    from dtcs d
    where d.device_id = ${deviceId} and not d.is_retracted and d.recorded >= ${instantOfMs(fromMs)} and not exists (
      select from unnest(
        ${assignments.map(item => item.vehicleId)}::bigint[],
        ${assignments.map(item => instantOfMs(item.fromMs))}::timestamptz[],
        ${assignments.map(item => instantOfMs(item.toMs))}::timestamptz[]
      ) as a (vehicle_id, from_time, to_time)
      where a.vehicle_id = d.vehicle_id and d.recorded >= a.from_time and d.recorded < a.to_time)
    order by d.recorded, d.id`)
  return rows.map(({ accountId, vehicleId, kind, ...row }) => ({
    deviceId,
    accountId,
    vehicleId,
    kind,
    interval: intervalOf(row),
  }))
}

function intervalOf({ recorded, deleted, ...fault }: DtcRow): StoredInterval {
  return {
    ...fault,
    recordedMs: instantMs(recorded),
    deletedMs: deleted === null ? undefined : instantMs(deleted),
  }
}

/** A code belongs to the vehicle in which the device was when it was first seen: it gets a
 * new row there, as trips do. */
export async function moveDtcs(
  { transaction, deviceId }: LockedDevice,
  assignments: readonly Assignment[],
): Promise<void> {
  const wrong = await transaction.rows<{ id: number; account_id: number; vehicle_id: number }>(sql`
    select d.id, u.account_id, u.vehicle_id
    from ${unnestSpans(assignments)}
    join dtcs d on d.device_id = ${deviceId} and d.recorded >= u.from_time and d.recorded < u.to_time
      and d.vehicle_id <> u.vehicle_id and not d.is_retracted
    order by d.recorded, d.id`)
  if (wrong.length === 0) return
  await transaction.rows(sql`
    insert into dtcs (device_id, account_id, vehicle_id, ecu_type_id, code, encoded, encoding, dtc_type, frame_list,
      recorded, deleted, modified)
    select d.device_id, u.account_id, u.vehicle_id, d.ecu_type_id, d.code, d.encoded, d.encoding, d.dtc_type,
      d.frame_list, d.recorded, d.deleted, u.modified
    from ${unnestOf({ id: 'bigint', account_id: 'integer', vehicle_id: 'bigint', modified: 'timestamptz' }, await revised(transaction, wrong))}
    join dtcs d on d.device_id = ${deviceId} and d.id = u.id`)
  await transaction.rows(sql`
    update dtcs d set is_retracted = true, deleted = d.recorded, modified = u.modified
    from ${unnestOf({ id: 'bigint', modified: 'timestamptz' }, await revised(transaction, wrong))}
    where d.device_id = ${deviceId} and d.id = u.id`)
}
