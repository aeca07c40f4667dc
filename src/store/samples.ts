import type { EventTypeId } from '../catalogue/event-types.ts'
import type { AccountReads } from '../db/account-reads.ts'
import { type CopiedRow, copiedRow } from '../db/copy.ts'
import { type Layouts, OWN_LAYOUT_ID } from '../db/layouts.ts'
import { type Connection, listOf, rowsOf, type Statement, sql } from '../db/sql.ts'
import { textItems } from '../db/values.ts'
import { type DeviceId, numbersPerValue, perLayout, type Sample, SampleLayout } from '../model/sample.ts'
import type { TimeRange } from '../model/time-range.ts'
import { packedLength, unpackNumber, unpackNumbers } from './packed-numbers.ts'

/** An interval of a device whose samples are wanted. */
export interface Interval extends TimeRange {
  readonly deviceId: DeviceId
}

/** Where samples are read: in a transaction, or outside, with the state at the time of each query. */
export interface SampleSource extends Connection {
  readonly layouts: Layouts
  /** The only row of a statement in PostgreSQL's binary format, as `copiedRow` gives it: faster than `rows` for long columns. */
  readonly row?: (statement: Statement) => Promise<CopiedRow | undefined>
}

/** A connection that one account keeps for several statements. */
export type RawConnection = Required<SampleSource>

/** Runs `work` with a connection to read samples of an account's cars. */
export function withRawConnection<T>(reads: AccountReads, work: (connection: RawConnection) => Promise<T>): Promise<T> {
  return reads.hold(client =>
    work({
      layouts: reads.layouts,
      rows: (statement, options) => rowsOf(client, statement, options),
      row: statement => copiedRow(client, statement),
    }),
  )
}

/** A sample as a reader gives it: its values are unpacked when they are asked for. */
export interface RawSample {
  readonly deviceId: DeviceId
  /** Milliseconds since 1970. */
  readonly timeMs: number
  /** The revision of its last write, in microseconds since 1970; 0 if not requested. */
  readonly storedUs: number
  readonly layout: SampleLayout
  readonly values: PackedValues
  /** Its place among those values. */
  readonly place: number
}

/** The values of several samples, packed in some way: those of rows, or of a sealed day. */
export interface PackedValues {
  /** In the order of the types. Of those that are not wanted, NaN stands in their place. */
  numbersAt(place: number, wanted?: readonly boolean[]): number[]
  numberAt(place: number, index: number): number
  textsAt(place: number): readonly string[]
}

/** The numbers of a sample, in the order of its types. */
export function numbersOf({ values, place, layout }: RawSample, wanted?: readonly boolean[]): number[] {
  return layout.numberCount === 0 ? [] : values.numbersAt(place, wanted)
}

/** One of the numbers of a sample, by its index among them. */
export function numberOf({ values, place }: RawSample, index: number): number {
  return values.numberAt(place, index)
}

/** The texts of a sample, in the order of its types. */
export function textsOf({ values, place, layout }: RawSample): readonly string[] {
  return layout.textCount === 0 ? [] : values.textsAt(place)
}

/** A sample with its values. @param wantedIn which numbers of a layout are unpacked; all, when it is not given */
export function sampleOfRaw(raw: RawSample, wantedIn?: (layout: SampleLayout) => readonly boolean[]): Sample {
  const { deviceId, timeMs, layout } = raw
  return { deviceId, timeMs, types: layout.types, numbers: numbersOf(raw, wantedIn?.(layout)), texts: textsOf(raw) }
}

/** Which numbers of a layout belong to some types. */
export function numbersOfTypes(types: Iterable<EventTypeId>): (layout: SampleLayout) => readonly boolean[] {
  const wanted = new Set(types)
  return perLayout(layout =>
    layout.slots.flatMap(({ type }) => Array.from({ length: numbersPerValue(type) }, () => wanted.has(type.id))),
  )
}

/** A row hides what is sealed of the same device and instant, because it is newer. */
export function keyOf({ deviceId, timeMs }: Pick<RawSample, 'deviceId' | 'timeMs'>): string {
  return `${deviceId} ${timeMs}`
}

/** The columns of a sample that a chunk is made of. */
export const CHUNK_COLUMNS = sql`s.device_id, s.time, s.stored, s.layout_id, s.numbers, s.texts`

interface ChunkOptions {
  /** All samples are of this device, whose id is not fetched with each. */
  readonly deviceId?: DeviceId | undefined
  readonly withStored?: boolean
  /** A condition on the sealed days `d`: those that may have samples of the same selection. */
  readonly sealed?: Statement
}

/** Rows, and whether there may be sealed samples beside them. */
interface Chunk {
  readonly samples: readonly RawSample[]
  readonly touchesSealed: boolean
}

/** The samples of a statement that selects `CHUNK_COLUMNS`, in its order. They come as one row of arrays: handling them
 * one by one was most of the cost of a long list (docs/adr/0003). */
export async function readChunk(source: SampleSource, ordered: Statement, options: ChunkOptions = {}): Promise<Chunk> {
  const { deviceId, withStored, sealed } = options
  const columns = listOf([
    sql`string_agg(timestamptz_send(time), ''::bytea) as times`,
    sql`string_agg(int4send(layout_id), ''::bytea) as layout_ids`,
    sql`string_agg(numbers, ''::bytea) as numbers`,
    sql`string_agg(case when texts is not null then
      int4send(octet_length(texts::text)) || convert_to(texts::text, 'UTF8') end, ''::bytea) as texts`,
    sql`${deviceId === undefined ? sql`string_agg(int8send(device_id), ''::bytea)` : sql`null::bytea`} as devices`,
    sql`${withStored ? sql`string_agg(timestamptz_send(stored), ''::bytea)` : sql`null::bytea`} as stored`,
    // Without the limit, Citus fetches a row for each such day of a fleet.
    sql`${sealed ? sql`(select ''::bytea where exists (select 1 from sealed_days d where ${sealed} limit 1))` : sql`null::bytea`} as sealed`,
  ])
  const row = await readRow(source, sql`select ${columns} from (${ordered}) as chunk`)
  const [times = NONE, layoutIds = NONE, numbers = NONE, texts = NONE, devices = NONE, stored = NONE, days] = row ?? []
  const ids = Array.from({ length: layoutIds.length / 4 }, (_, index) => layoutIds.readInt32BE(index * 4))
  // Over the same connection: callers that hold one and wait for another could wait for ever.
  await source.layouts.load(ids, source)
  const values = new ChunkValues(source.layouts, ids, numbers, texts)
  const samples = ids.map(
    (_, place): RawSample => ({
      deviceId: deviceId ?? (int64(devices, place * 8) as DeviceId),
      timeMs: int64(times, place * 8) / 1000 + POSTGRES_EPOCH_MS,
      storedUs: stored.length === 0 ? 0 : int64(stored, place * 8) + POSTGRES_EPOCH_MS * 1000,
      layout: values.layoutAt(place),
      values,
      place,
    }),
  )
  return { samples, touchesSealed: days !== undefined }
}

/** The only row of a statement whose columns are bytes. */
async function readRow(source: SampleSource, statement: Statement): Promise<CopiedRow | undefined> {
  if (source.row) return source.row(statement)
  const [row] = await source.rows<Record<string, Buffer | null>>(statement)
  return row && Object.values(row).map(value => value ?? undefined)
}

const NONE = Buffer.alloc(0)
const POSTGRES_EPOCH_MS = Date.UTC(2000, 0, 1)

function int64(bytes: Buffer, at: number): number {
  return bytes.readInt32BE(at) * 2 ** 32 + bytes.readUInt32BE(at + 4)
}

/** The values of the rows of a chunk. */
class ChunkValues implements PackedValues {
  readonly #layouts: readonly SampleLayout[]
  readonly #isOwn: readonly boolean[]
  readonly #numbers: Buffer
  readonly #texts: Buffer
  /** Where those of each sample begin. */
  readonly #numbersAt: readonly number[]
  readonly #textsAt: readonly number[]

  constructor(layouts: Pick<Layouts, 'byId'>, layoutIds: readonly number[], numbers: Buffer, texts: Buffer) {
    this.#numbers = numbers
    this.#texts = texts
    this.#isOwn = layoutIds.map(id => id === OWN_LAYOUT_ID)
    const [ofSamples, numbersAt, textsAt]: [SampleLayout[], number[], number[]] = [[], [], []]
    let [numberAt, textAt] = [0, 0]
    for (const id of layoutIds) {
      const isOwn = id === OWN_LAYOUT_ID
      const layout = isOwn ? SampleLayout.ofText(this.#itemsAt(textAt)[0] ?? '{}') : layouts.byId(id)
      ofSamples.push(layout)
      numbersAt.push(numberAt)
      textsAt.push(textAt)
      numberAt += packedLength(numbers, layout.numberCount, numberAt)
      if (isOwn || layout.textCount > 0) textAt += 4 + texts.readInt32BE(textAt)
    }
    this.#layouts = ofSamples
    this.#numbersAt = numbersAt
    this.#textsAt = textsAt
  }

  layoutAt(place: number): SampleLayout {
    const layout = this.#layouts[place]
    if (!layout) throw new RangeError(`no sample at place ${place}`)
    return layout
  }

  numbersAt(place: number, wanted?: readonly boolean[]): number[] {
    return unpackNumbers(this.#numbers, this.layoutAt(place).numberCount, this.#numbersAt[place], wanted)
  }

  numberAt(place: number, index: number): number {
    return unpackNumber(this.#numbers, this.layoutAt(place).numberCount, index, this.#numbersAt[place])
  }

  textsAt(place: number): readonly string[] {
    const items = this.#itemsAt(this.#textsAt[place] ?? 0)
    return this.#isOwn[place] ? items.slice(1) : items
  }

  #itemsAt(at: number): string[] {
    return textItems(this.#texts.toString('utf8', at + 4, at + 4 + this.#texts.readInt32BE(at)))
  }
}
