import type { Sample } from '../src/model/sample.ts'

const HEADER = Buffer.from('PGCOPY\n\xff\r\n\0\0\0\0\0\0\0\0\0', 'latin1')
const TRAILER = Buffer.of(0xff, 0xff)
const POSTGRES_EPOCH_MS = Date.UTC(2000, 0, 1)
const INT2 = 21
const FLOAT8 = 701
const TEXT = 25

/**
 * Samples in PostgreSQL's binary COPY format (manual, *COPY*, Binary Format) as rows of device_id, time, stored, types
 * int2[], numbers float8[], texts text[].
 */
export function encodeArrayRows(samples: readonly Sample[], storedMs: number): Buffer {
  const rows = samples.map(({ deviceId, timeMs, types, numbers, texts }) =>
    Buffer.concat([
      int2(6),
      field(int8(BigInt(deviceId))),
      field(instant(timeMs)),
      field(instant(storedMs)),
      field(array(INT2, types.map(int2))),
      field(array(FLOAT8, numbers.map(float8))),
      field(
        array(
          TEXT,
          texts.map(text => Buffer.from(text)),
        ),
      ),
    ]),
  )
  return Buffer.concat([HEADER, ...rows, TRAILER])
}

/** Of one dimension, counted from 1, without nulls; an empty one has no dimension. */
function array(elementType: number, items: readonly Buffer[]): Buffer {
  if (items.length === 0) return Buffer.concat([0, 0, elementType].map(int4))
  return Buffer.concat([...[1, 0, elementType, items.length, 1].map(int4), ...items.map(field)])
}

function field(bytes: Buffer): Buffer {
  return Buffer.concat([int4(bytes.length), bytes])
}

function instant(timeMs: number): Buffer {
  return int8(BigInt(timeMs - POSTGRES_EPOCH_MS) * 1000n)
}

function int2(value: number): Buffer {
  return written(2, bytes => bytes.writeInt16BE(value))
}

function int4(value: number): Buffer {
  return written(4, bytes => bytes.writeInt32BE(value))
}

function int8(value: bigint): Buffer {
  return written(8, bytes => bytes.writeBigInt64BE(value))
}

function float8(value: number): Buffer {
  return written(8, bytes => bytes.writeDoubleBE(value))
}

function written(length: number, write: (bytes: Buffer) => void): Buffer {
  const bytes = Buffer.alloc(length)
  write(bytes)
  return bytes
}
