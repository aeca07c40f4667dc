import type { DeviceId } from '../../intake/sample.ts'
import { type Statement, sql } from '../sql.ts'
import { textItems } from '../values.ts'
import { unpackNumbers } from './packed-numbers.ts'
import type { Shape, Shapes } from './shapes.ts'

/**
 * A sample of a chunk as it came from the database: nothing is parsed before it is needed. A chunk is one value, so
 * neither side handles rows and columns one by one, which was most of the cost of a long list (docs/adr/0003).
 */
export interface RawSample {
  readonly deviceId: DeviceId
  /** Milliseconds since 1970. */
  readonly timeMs: number
  /** Microseconds since 1970: the stamp under which it was stored last. */
  readonly storedUs: number
  readonly shape: Shape
  readonly chunk: Buffer
  /** Where its packed numbers and its texts stand in the chunk. */
  readonly numbersAt: number
  readonly textsAt: number
  readonly endAt: number
}

/** The rows of a statement over `samples s` as one value, in their order. */
export function chunkOf(ordered: Statement): Statement {
  return sql`select string_agg(packed, ''::bytea) from (${ordered}) as chunk`
}

/** The columns of a sample as bytes: the head, then numbers, then texts as PostgreSQL writes an array. */
export const PACKED_COLUMN = sql`
  timestamptz_send(s.time) || timestamptz_send(s.stored) || int8send(s.device_id) || int4send(s.shape_id)
  || int4send(coalesce(octet_length(s.numbers), 0)) || int4send(coalesce(octet_length(s.texts::text), 0))
  || coalesce(s.numbers, ''::bytea) || coalesce(convert_to(s.texts::text, 'UTF8'), ''::bytea) as packed`

const HEAD_BYTES = 8 + 8 + 8 + 4 + 4 + 4
const POSTGRES_EPOCH_MS = Date.UTC(2000, 0, 1)

/** The samples of a chunk; `hex` is the text that the database wrote for it. */
export async function samplesOfChunk(hex: string | null, shapes: Shapes): Promise<RawSample[]> {
  if (hex === null) return []
  const chunk = Buffer.from(hex.slice(2), 'hex')
  const shapeIds = new Set<number>()
  for (let at = 0; at < chunk.length; at = endOf(chunk, at)) shapeIds.add(chunk.readInt32BE(at + 24))
  await shapes.load(shapeIds)
  const samples: RawSample[] = []
  for (let at = 0; at < chunk.length; ) {
    const endAt = endOf(chunk, at)
    const numbersAt = at + HEAD_BYTES
    samples.push({
      timeMs: int64(chunk, at) / 1000 + POSTGRES_EPOCH_MS,
      storedUs: int64(chunk, at + 8) + POSTGRES_EPOCH_MS * 1000,
      deviceId: int64(chunk, at + 16) as DeviceId,
      shape: shapes.byId(chunk.readInt32BE(at + 24)),
      chunk,
      numbersAt,
      textsAt: numbersAt + chunk.readInt32BE(at + 28),
      endAt,
    })
    at = endAt
  }
  return samples
}

function endOf(chunk: Buffer, at: number): number {
  return at + HEAD_BYTES + chunk.readInt32BE(at + 28) + chunk.readInt32BE(at + 32)
}

function int64(chunk: Buffer, at: number): number {
  return chunk.readInt32BE(at) * 2 ** 32 + chunk.readUInt32BE(at + 4)
}

export function numbersOf({ shape, chunk, numbersAt, textsAt }: RawSample): number[] {
  return unpackNumbers(chunk, shape.numberCount, numbersAt, textsAt)
}

export function textsOf({ chunk, textsAt, endAt }: RawSample): string[] {
  return textsAt === endAt ? [] : textItems(chunk.toString('utf8', textsAt, endAt))
}
