import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { from as copyFrom } from 'pg-copy-streams'
import { insertOf, unnestOf } from '../db/bulk-rows.ts'
import { areSamplesDistributed } from '../db/citus.ts'
import { type Layouts, OWN_LAYOUT_ID, type OwnerOf } from '../db/layouts.ts'
import { revisionUs } from '../db/revisions.ts'
import type { LockedDevices } from '../db/shards.ts'
import { type Statement, sql } from '../db/sql.ts'
import type { Transaction } from '../db/transaction.ts'
import { instantMs, instantOfMs, quotedItem } from '../db/values.ts'
import { grouped } from '../model/grouped.ts'
import { mergeSamples } from '../model/merge-samples.ts'
import { type DeviceId, type Sample, SampleLayout } from '../model/sample.ts'
import { isIn } from '../model/time-range.ts'
import { BinaryRows } from './binary-rows.ts'
import { unpackNumbers } from './packed-numbers.ts'
import { readSealedAt } from './read.ts'
import { keyOf } from './samples.ts'
import { yearSpanAt } from './tables.ts'

/** Events, not samples: what a sender counts. */
export interface Receipt {
  readonly accepted: number
  readonly duplicates: number
  readonly conflicts: number
}

interface Appended {
  /** One for each list of samples, in order. */
  readonly receipts: readonly Receipt[]
  /** The samples of a device that changed, as they are stored now, ascending by time. */
  readonly changedOf: (deviceId: DeviceId) => readonly Sample[]
}

/** Stores samples of locked devices, merged with stored ones of the same instant (design, decision 7): the same samples
 * in any order and pieces lead to the same rows. @param ownerOf the account whose number of layouts is limited */
export async function append(
  locked: LockedDevices,
  lists: readonly (readonly Sample[])[],
  {
    extents,
    ownerOf,
  }: {
    readonly extents: ReadonlyMap<DeviceId, { readonly firstMs: number; readonly lastMs: number }>
    readonly ownerOf?: (deviceId: DeviceId) => number | undefined
  },
): Promise<Appended> {
  const { transaction } = locked
  const devices = new Map<DeviceId, DeviceChanges>()
  const changesOf = (deviceId: DeviceId) => {
    const known = devices.get(deviceId)
    if (known) return known
    const made = new DeviceChanges()
    devices.set(deviceId, made)
    return made
  }
  for (const sample of await readSamplesAt(transaction, keysToRead(lists, extents)))
    changesOf(sample.deviceId).addStored(sample)
  const receipts = lists.map(samples => receiptFor(samples, changesOf))
  const inserts: Sample[] = []
  const replacements: Sample[] = []
  for (const changes of devices.values()) changes.addTo(inserts, replacements)
  if (inserts.length > 0 || replacements.length > 0) {
    const stored = await transaction.takeRevisions(1)
    const owner = ({ deviceId }: Sample) => ownerOf?.(deviceId)
    await insertSamples(locked, inserts, stored, owner)
    await replaceSamples(locked, replacements, stored, owner)
  }
  return { receipts, changedOf: deviceId => devices.get(deviceId)?.changed ?? [] }
}

/** Each once. Only keys within the extent of a device can exist: samples newer than its last one need no lookup. */
function keysToRead(
  lists: readonly (readonly Sample[])[],
  extents: ReadonlyMap<DeviceId, { readonly firstMs: number; readonly lastMs: number }>,
): SampleKey[] {
  const keys = new Map<string, SampleKey>()
  for (const samples of lists)
    for (const sample of samples) {
      const extent = extents.get(sample.deviceId)
      if (extent && sample.timeMs >= extent.firstMs && sample.timeMs <= extent.lastMs) keys.set(keyOf(sample), sample)
    }
  return [...keys.values()]
}

type Counts = { -readonly [Count in keyof Receipt]: Receipt[Count] }

function receiptFor(samples: readonly Sample[], changesOf: (deviceId: DeviceId) => DeviceChanges): Receipt {
  const receipt: Counts = { accepted: 0, duplicates: 0, conflicts: 0 }
  for (const sample of samples) changesOf(sample.deviceId).addReceived(sample, receipt)
  return receipt
}

/** Collects what is added to the samples of one device. */
class DeviceChanges {
  /** Those that changed, ascending by time: of `#byTime`, once they are worked out. */
  changed: Sample[] = []
  /** Nearly always a dongle sends new instants one after the other: then no instant has to be looked up. */
  #byTime: Map<number, { readonly before: Sample | undefined; readonly after: Sample }> | undefined

  addStored(sample: Sample): void {
    this.#indexed().set(sample.timeMs, { before: sample, after: sample })
  }

  /** @param receipt counts its events */
  addReceived(sample: Sample, receipt: Counts): void {
    const last = this.changed.at(-1)
    if (!this.#byTime && (!last || last.timeMs < sample.timeMs)) {
      receipt.accepted += sample.types.length
      // An empty array would allocate room for 17 at the first push.
      if (last) this.changed.push(sample)
      else this.changed = [sample]
      return
    }
    const byTime = this.#indexed()
    const change = byTime.get(sample.timeMs)
    if (!change) {
      receipt.accepted += sample.types.length
      byTime.set(sample.timeMs, { before: undefined, after: sample })
      return
    }
    const merge = mergeSamples(change.after, sample)
    if (merge.accepted > 0) byTime.set(sample.timeMs, { before: change.before, after: merge.sample })
    receipt.accepted += merge.accepted
    receipt.duplicates += merge.duplicates
    receipt.conflicts += merge.conflicts
  }

  /** @param inserts gets the samples at new keys
   * @param replacements gets those whose key exists */
  addTo(inserts: Sample[], replacements: Sample[]): void {
    if (!this.#byTime) {
      for (const sample of this.changed) inserts.push(sample)
      return
    }
    const changes = [...this.#byTime.values()].filter(({ before, after }) => before !== after)
    for (const { before, after } of changes) (before ? replacements : inserts).push(after)
    this.changed = changes.map(({ after }) => after).sort((a, b) => a.timeMs - b.timeMs)
  }

  #indexed(): Map<number, { readonly before: Sample | undefined; readonly after: Sample }> {
    this.#byTime ??= new Map(this.changed.map(sample => [sample.timeMs, { before: undefined, after: sample }]))
    return this.#byTime
  }
}

/** Device and instant: the key of a sample. */
interface SampleKey {
  readonly deviceId: DeviceId
  readonly timeMs: number
}

export async function readSamplesAt(transaction: Transaction, keys: readonly SampleKey[]): Promise<Sample[]> {
  const samples: Sample[] = []
  for (const { items, within } of byYear(keys)) {
    const rows = await transaction.rows<SampleRow>(sql`
      select s.device_id, s.time, s.layout_id, s.numbers, s.texts
      from ${unnestOf({ deviceId: 'bigint', timeMs: 'timestamptz' }, items)}
      join samples s on s.device_id = u.deviceId and s.time = u.timeMs
      where ${within}`)
    samples.push(...(await samplesOfRows(transaction.layouts, rows)))
  }
  return samples.length < keys.length
    ? [...samples, ...(await readSealedAt(transaction, without(keys, samples)))]
    : samples
}

function without(keys: readonly SampleKey[], known: readonly Sample[]): SampleKey[] {
  const found = new Set(known.map(keyOf))
  return keys.filter(key => !found.has(keyOf(key)))
}

/** Groups by year, each with a condition on the time of the sample `s`: otherwise a statement, or a batch with one old
 * sample, would read the tables of all times. */
function byYear<Item extends { readonly timeMs: number }>(
  items: readonly Item[],
): readonly { readonly items: readonly Item[]; readonly within: Statement }[] {
  let year = { fromMs: 0, toMs: 0 }
  const years = grouped(items, ({ timeMs }) => {
    if (!isIn(year, timeMs)) year = yearSpanAt(timeMs)
    return year.fromMs
  })
  return [...years.values()].map(ofYear => {
    let [fromMs, toMs] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]
    for (const { timeMs } of ofYear) {
      fromMs = Math.min(fromMs, timeMs)
      toMs = Math.max(toMs, timeMs)
    }
    return { items: ofYear, within: sql`s.time between ${instantOfMs(fromMs)} and ${instantOfMs(toMs)}` }
  })
}

export interface SampleRow {
  readonly device_id: DeviceId
  readonly time: string
  readonly layout_id: number
  readonly numbers: Buffer | null
  readonly texts: string[] | null
}

/** Rows of `samples`, unpacked. */
export async function samplesOfRows(layouts: Layouts, rows: readonly SampleRow[]): Promise<Sample[]> {
  await layouts.load(rows.map(row => row.layout_id))
  return rows.map(({ device_id, time, layout_id, numbers, texts }) => {
    const isOwn = layout_id === OWN_LAYOUT_ID
    const { types, numberCount } = isOwn ? SampleLayout.ofText(texts?.[0] ?? '{}') : layouts.byId(layout_id)
    return {
      deviceId: device_id,
      timeMs: instantMs(time),
      types,
      numbers: numbers ? unpackNumbers(numbers, numberCount) : [],
      texts: (isOwn ? texts?.slice(1) : texts) ?? [],
    }
  })
}

/** The fast way, for new keys: binary COPY. @param ownerOf the account whose number of layouts is limited */
export async function insertSamples(
  { transaction }: LockedDevices,
  samples: readonly Sample[],
  stored: string,
  ownerOf?: OwnerOf<Sample>,
): Promise<void> {
  if (samples.length === 0) return
  await copySamples(transaction, 'samples', samples, { stored, ownerOf })
  if (!(await areSamplesDistributed(transaction))) return
  const deviceIds = [...new Set(samples.map(({ deviceId }) => deviceId))]
  await transaction.rows(sql`select prepare_copied(${deviceIds})`, { prepareAs: 'prepare-copied' })
}

/** The slow way, for existing keys: a staging table. A sealed sample gets a row again, which hides the sealed one until
 * its day is sealed again. */
export async function replaceSamples(
  { transaction }: LockedDevices,
  samples: readonly Sample[],
  stored: string,
  ownerOf?: OwnerOf<Sample>,
): Promise<void> {
  if (samples.length === 0) return
  await transaction.client.query(
    'create temporary table if not exists staged_samples (like samples) on commit delete rows',
  )
  await copySamples(transaction, 'staged_samples', samples, { stored, ownerOf })
  for (const { within } of byYear(samples))
    await transaction.rows(sql`
      with replaced as (
        update samples s set stored = g.stored, layout_id = g.layout_id, numbers = g.numbers, texts = g.texts
        from staged_samples g where s.device_id = g.device_id and s.time = g.time and ${within}
        returning s.device_id, s.time
      )
      insert into samples (device_id, time, stored, layout_id, numbers, texts)
      select s.device_id, s.time, s.stored, s.layout_id, s.numbers, s.texts from staged_samples s
      where ${within} and not exists (select from replaced r where r.device_id = s.device_id and r.time = s.time)`)
}

async function copySamples(
  transaction: Transaction,
  table: 'samples' | 'staged_samples',
  samples: readonly Sample[],
  { stored, ownerOf }: { readonly stored: string; readonly ownerOf: OwnerOf<Sample> | undefined },
): Promise<void> {
  const rows = encodeSamples(samples, await transaction.layouts.idsOf(samples, ownerOf), revisionUs(stored))
  const copy = transaction.client.query(
    copyFrom(`copy ${table} (device_id, time, stored, layout_id, numbers, texts) from stdin binary`),
  )
  await pipeline(Readable.from([rows], { objectMode: false }), copy)
}

/** Samples and the ids of their layouts as rows of binary COPY: device_id, time, stored, layout_id, numbers, texts. */
export function encodeSamples(samples: readonly Sample[], layoutIds: Int32Array, storedUs: number): Buffer {
  const rows = new BinaryRows(samples.length * ROW_BYTES_EXPECTED)
  samples.forEach(({ deviceId, timeMs, types, numbers, texts }, index) => {
    const layoutId = layoutIds[index] ?? OWN_LAYOUT_ID
    rows.startRow(6)
    rows.int8(deviceId)
    rows.instantMs(timeMs)
    rows.instantUs(storedUs)
    rows.int4(layoutId)
    if (numbers.length === 0) rows.null()
    else rows.packedNumbers(numbers)
    const storedTexts = storedTextsOf({ types, texts }, layoutId)
    if (storedTexts) rows.textArray(storedTexts)
    else rows.null()
  })
  return rows.finish()
}

/** The column `texts` of a sample; undefined: null. */
function storedTextsOf(
  { types, texts }: Pick<Sample, 'types' | 'texts'>,
  layoutId: number,
): readonly string[] | undefined {
  if (layoutId === OWN_LAYOUT_ID) return [SampleLayout.of(types).text, ...texts]
  return texts.length === 0 ? undefined : texts
}

/** Samples of a drive take 100 to 200 bytes. */
const ROW_BYTES_EXPECTED = 256

/** Stores samples with impossible times separately. The caller knows that their devices exist. */
export async function keepMisdated(transaction: Transaction, samples: readonly Sample[]): Promise<void> {
  if (samples.length === 0) return
  const rows = samples.map(sample => ({
    device_id: sample.deviceId,
    time_ms: Math.min(sample.timeMs, Number.MAX_SAFE_INTEGER),
    content: contentOf(sample),
    types: `{${sample.types.join(',')}}`,
    numbers: `{${sample.numbers.join(',')}}`,
    texts: `{${sample.texts.map(quotedItem).join(',')}}`,
  }))
  await transaction.rows(insertOf('misdated_samples', rows, sql`on conflict do nothing`))
}

/** Drops those received before an instant. @returns how many there were. */
export async function dropMisdatedBefore(transaction: Transaction, beforeMs: number): Promise<number> {
  const rows = await transaction.rows(
    sql`delete from misdated_samples where received < ${instantOfMs(beforeMs)} returning device_id`,
  )
  return rows.length
}

function contentOf({ types, numbers, texts }: Sample): Buffer {
  return createHash('sha256')
    .update(JSON.stringify([types, numbers, texts]))
    .digest()
    .subarray(0, 16)
}
