import { type Layouts, OWN_LAYOUT_ID } from '../db/layouts.ts'
import { listOf, type Statement, sql } from '../db/sql.ts'
import { textItems } from '../db/values.ts'
import { type DeviceId, SampleLayout } from '../model/sample.ts'
import { packedLength, unpackNumber, unpackNumbers } from './packed-numbers.ts'

/** A sample as a reader gives it: its values are parsed, or unpacked, only when they are asked for. */
export type RawSample = PackedSample | UnpackedSample

interface SampleFrame {
  readonly deviceId: DeviceId
  /** Milliseconds since 1970. */
  readonly timeMs: number
  /** Microseconds since 1970: the revision of its last write; 0 if not requested. */
  readonly storedUs: number
  readonly layout: SampleLayout
  /** Whether it is self-describing. */
  readonly isOwnLayout: boolean
}

/**
 * A sample of a chunk in the form sent by the database: parsed only when needed. A chunk is one row with a few
 * columns, each with the values of all samples, so that neither side handles samples one by one, which was most of the
 * cost of a long list (docs/adr/0003).
 */
interface PackedSample extends SampleFrame {
  /** With the types before the texts where it is self-describing. */
  readonly columns: ChunkColumns
  /** Offsets of its packed numbers and its texts. */
  readonly numbersAt: number
  readonly textsAt: number
}

/** A sample whose values stand among those of others, by event type (docs/adr/0037). */
export interface UnpackedSample extends SampleFrame {
  readonly unpacked: UnpackedSamples
  readonly place: number
}

/** The values of samples, each at its place. */
export interface UnpackedSamples {
  /** In the order of its types. */
  numbersAt(place: number): number[]
  /** The same into an array that is as long or longer, for who reads one sample after the other. */
  copyNumbersAt(place: number, into: Float64Array): void
  /** One of these. */
  numberAt(place: number, index: number): number
  textsAt(place: number): string[]
}

interface ChunkColumns {
  readonly numbers: Buffer
  readonly texts: Buffer
}

/** Fields that are the same for all samples of a chunk, or not wanted, are not fetched. */
export interface ChunkOptions {
  /** All samples are of this device. */
  readonly deviceId?: DeviceId
  readonly withStored?: boolean
  /** Whether sealed days may hold samples of the same selection: a condition, which the chunk then answers. */
  readonly sealed?: Statement
  /** Instead, such days themselves, as `sealed/days-beside-rows.ts` packs them: where they are few. */
  readonly sealedDays?: Statement
}

/** Samples, and whether there may be sealed ones beside them. */
export interface Chunk {
  readonly samples: RawSample[]
  readonly touchesSealed: boolean
  /** Those that were asked for with it, where there are any. */
  readonly sealedDays: Buffer | undefined
}

/** The columns of a sample that a chunk is made of. */
export const CHUNK_COLUMNS = sql`s.device_id, s.time, s.stored, s.layout_id, s.numbers, s.texts`

/** The rows of a statement that selects `CHUNK_COLUMNS` as one row, in their order. */
export function chunkOf(ordered: Statement, { deviceId, withStored, sealed, sealedDays }: ChunkOptions): Statement {
  const columns = listOf([
    sql`string_agg(timestamptz_send(time), ''::bytea)`,
    sql`string_agg(int4send(layout_id), ''::bytea)`,
    sql`string_agg(numbers, ''::bytea)`,
    sql`string_agg(case when texts is not null then
      int4send(octet_length(texts::text)) || convert_to(texts::text, 'UTF8') end, ''::bytea)`,
    deviceId === undefined ? sql`string_agg(int8send(device_id), ''::bytea)` : sql`null`,
    withStored ? sql`string_agg(timestamptz_send(stored), ''::bytea)` : sql`null`,
    sealed ? sql`(${sealed})` : sql`null`,
    sealedDays ? sql`(${sealedDays})` : sql`null`,
  ])
  return sql`select ${columns} from (${ordered}) as chunk`
}

const NONE = Buffer.alloc(0)
const POSTGRES_EPOCH_MS = Date.UTC(2000, 0, 1)

/**
 * The samples of a chunk from its row.
 * @param loadLayouts makes sure that `layouts` knows these ids
 */
export async function samplesOfChunk(
  row: ChunkRow,
  layouts: Pick<Layouts, 'byId'>,
  loadLayouts: (ids: ReadonlySet<number>) => Promise<void>,
  { deviceId }: ChunkOptions,
): Promise<Chunk> {
  const [times = NONE, , numbers = NONE, texts = NONE, deviceIds = NONE, stored = NONE] = row ?? []
  await loadLayouts(layoutIdsOf(row))
  const columns = { numbers, texts }
  const samples: PackedSample[] = []
  eachSampleOf(row, layouts, (index, layout, isOwnLayout, numbersAt, textsAt) => {
    samples.push({
      timeMs: timeMsAt(times, index),
      storedUs: stored.length === 0 ? 0 : int64(stored, index * 8) + POSTGRES_EPOCH_MS * 1000,
      deviceId: deviceId ?? deviceIdAt(deviceIds, index),
      layout,
      isOwnLayout,
      columns,
      numbersAt,
      textsAt,
    })
  })
  const sealedDays = row?.[7]
  return { samples, touchesSealed: touchesSealed(row) || sealedDays !== undefined, sealedDays }
}

/** The columns of a chunk, in the order of `chunkOf`. */
type ChunkRow = readonly (Buffer | undefined)[] | undefined

/** Whether the condition held that was asked with the chunk. */
export function touchesSealed([, , , , , , sealed = NONE]: NonNullable<ChunkRow> = []): boolean {
  return sealed[0] === 1
}

export function layoutIdsOf([, layoutIds = NONE]: NonNullable<ChunkRow> = []): ReadonlySet<number> {
  const ids = new Set<number>()
  for (let at = 0; at < layoutIds.length; at += 4) ids.add(layoutIds.readInt32BE(at))
  return ids
}

/** Tells of each sample of a chunk where its numbers and its texts begin. @param layouts know those of the chunk */
export function eachSampleOf(
  [times = NONE, layoutIds = NONE, numbers = NONE, texts = NONE]: NonNullable<ChunkRow> = [],
  layouts: Pick<Layouts, 'byId'>,
  tell: (index: number, layout: SampleLayout, isOwnLayout: boolean, numbersAt: number, textsAt: number) => void,
): void {
  const count = times.length / 8
  let numbersAt = 0
  let textsAt = 0
  for (let index = 0; index < count; index++) {
    const id = layoutIds.readInt32BE(index * 4)
    const isOwnLayout = id === OWN_LAYOUT_ID
    const layout = isOwnLayout ? SampleLayout.ofText(textsAtOf(texts, textsAt)[0] ?? '{}') : layouts.byId(id)
    tell(index, layout, isOwnLayout, numbersAt, textsAt)
    numbersAt += packedLength(numbers, layout.numberCount, numbersAt)
    if (isOwnLayout || layout.textCount > 0) textsAt += 4 + texts.readInt32BE(textsAt)
  }
}

/** Milliseconds since 1970. */
export function timeMsAt(times: Buffer, index: number): number {
  return msOfPostgres(int64(times, index * 8))
}

/** Milliseconds since 1970 of microseconds since 2000, as PostgreSQL has them. */
export function msOfPostgres(microseconds: number): number {
  return microseconds / 1000 + POSTGRES_EPOCH_MS
}

export function deviceIdAt(deviceIds: Buffer, index: number): DeviceId {
  return int64(deviceIds, index * 8) as DeviceId
}

function int64(bytes: Buffer, at: number): number {
  return bytes.readInt32BE(at) * 2 ** 32 + bytes.readUInt32BE(at + 4)
}

/** The numbers of a sample, in the order of its types. */
export function numbersOf(sample: RawSample): number[] {
  const { numberCount } = sample.layout
  if (numberCount === 0) return []
  if ('unpacked' in sample) return sample.unpacked.numbersAt(sample.place)
  return unpackNumbers(sample.columns.numbers, numberCount, sample.numbersAt)
}

/** One of the numbers of a sample, by its index among them. */
export function numberOf(sample: RawSample, index: number): number {
  if ('unpacked' in sample) return sample.unpacked.numberAt(sample.place, index)
  return unpackNumber(sample.columns.numbers, sample.layout.numberCount, index, sample.numbersAt)
}

/** The texts of a sample, in the order of its types. */
export function textsOf(sample: RawSample): string[] {
  if (sample.layout.textCount === 0) return []
  if ('unpacked' in sample) return sample.unpacked.textsAt(sample.place)
  const items = textsAtOf(sample.columns.texts, sample.textsAt)
  return sample.isOwnLayout ? items.slice(1) : items
}

function textsAtOf(texts: Buffer, at: number): string[] {
  return textItems(texts.toString('utf8', at + 4, at + 4 + texts.readInt32BE(at)))
}
