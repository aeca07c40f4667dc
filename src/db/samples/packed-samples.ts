import type { DeviceId } from '../../model/sample.ts'
import { listOf, type Statement, sql } from '../sql.ts'
import { textItems } from '../values.ts'
import { packedLength, unpackNumbers } from './packed-numbers.ts'
import { OWN_SHAPE_ID, type Shape, type Shapes } from './shapes.ts'

/**
 * A sample of a chunk as it came from the database: nothing is parsed before it is needed. A chunk is one row of few
 * columns, each with the values of all samples, so that neither side handles samples one by one: that was most of the
 * cost of a long list (docs/adr/0003).
 */
export interface RawSample {
  readonly deviceId: DeviceId
  /** Milliseconds since 1970. */
  readonly timeMs: number
  /** Microseconds since 1970: the revision under which it was stored last; 0 where nobody asked for it. */
  readonly storedUs: number
  readonly shape: Shape
  readonly columns: ChunkColumns
  /** Where its packed numbers and its texts begin. */
  readonly numbersAt: number
  readonly textsAt: number
}

interface ChunkColumns {
  readonly numbers: Buffer
  readonly texts: Buffer
}

/** What is known of all samples of a chunk, or not wanted, need not be fetched. */
export interface ChunkOptions {
  /** All samples are of this device. */
  readonly deviceId?: DeviceId
  readonly withStored?: boolean
}

/** The columns of a sample that a chunk is made of. */
export const CHUNK_COLUMNS = sql`s.device_id, s.time, s.stored, s.shape_id, s.numbers, s.texts`

/** The rows of a statement that selects `CHUNK_COLUMNS` as one row, in their order. */
export function chunkOf(ordered: Statement, { deviceId, withStored }: ChunkOptions): Statement {
  const columns = listOf([
    sql`string_agg(timestamptz_send(time), ''::bytea)`,
    sql`string_agg(int4send(shape_id), ''::bytea)`,
    sql`string_agg(numbers, ''::bytea)`,
    sql`string_agg(case when texts is not null then
      int4send(octet_length(texts::text)) || convert_to(texts::text, 'UTF8') end, ''::bytea)`,
    deviceId === undefined ? sql`string_agg(int8send(device_id), ''::bytea)` : sql`null`,
    withStored ? sql`string_agg(timestamptz_send(stored), ''::bytea)` : sql`null`,
  ])
  return sql`select ${columns} from (${ordered}) as chunk`
}

const POSTGRES_EPOCH_MS = Date.UTC(2000, 0, 1)

/**
 * The samples of a chunk from its row, in which bytes are hexadecimal digits after `\x`.
 * @param loadShapes makes sure that `shapes` knows these ids
 */
export async function samplesOfChunk(
  row: readonly (string | null)[],
  shapes: Pick<Shapes, 'byId' | 'own'>,
  loadShapes: (ids: ReadonlySet<number>) => Promise<void>,
  { deviceId }: ChunkOptions,
): Promise<RawSample[]> {
  const [times, shapeIds, numbers, texts, deviceIds, stored] = Array.from({ length: 6 }, (_, index) =>
    bytesOf(row[index]),
  )
  if (!times || !shapeIds || !numbers || !texts || !deviceIds || !stored) return []
  const count = times.length / 8
  const ids = new Set<number>()
  for (let at = 0; at < shapeIds.length; at += 4) ids.add(shapeIds.readInt32BE(at))
  await loadShapes(ids)
  const columns = { numbers, texts }
  const samples: RawSample[] = []
  let numbersAt = 0
  let textsAt = 0
  for (let index = 0; index < count; index++) {
    const id = shapeIds.readInt32BE(index * 4)
    const shape = id === OWN_SHAPE_ID ? shapes.own(textsAtOf(texts, textsAt)[0] ?? '{}') : shapes.byId(id)
    samples.push({
      timeMs: int64(times, index * 8) / 1000 + POSTGRES_EPOCH_MS,
      storedUs: stored.length === 0 ? 0 : int64(stored, index * 8) + POSTGRES_EPOCH_MS * 1000,
      deviceId: deviceId ?? (int64(deviceIds, index * 8) as DeviceId),
      shape,
      columns,
      numbersAt,
      textsAt,
    })
    numbersAt += packedLength(numbers, shape.numberCount, numbersAt)
    if (shape.hasTexts) textsAt += 4 + texts.readInt32BE(textsAt)
  }
  return samples
}

function bytesOf(hex: string | null | undefined): Buffer {
  return hex ? Buffer.from(hex.slice(2), 'hex') : Buffer.alloc(0)
}

function int64(bytes: Buffer, at: number): number {
  return bytes.readInt32BE(at) * 2 ** 32 + bytes.readUInt32BE(at + 4)
}

/** The numbers of a sample, in the order of its types. */
export function numbersOf({ shape, columns, numbersAt }: RawSample): number[] {
  return shape.numberCount === 0 ? [] : unpackNumbers(columns.numbers, shape.numberCount, numbersAt)
}

/** The texts of a sample, in the order of its types. */
export function textsOf({ shape, columns: { texts }, textsAt }: RawSample): string[] {
  if (!shape.hasTexts) return []
  const items = textsAtOf(texts, textsAt)
  return shape.id === OWN_SHAPE_ID ? items.slice(1) : items
}

function textsAtOf(texts: Buffer, at: number): string[] {
  return textItems(texts.toString('utf8', at + 4, at + 4 + texts.readInt32BE(at)))
}
