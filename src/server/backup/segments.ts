/** A position in PostgreSQL's write-ahead log, in bytes; exact for 9 petabytes. */
export type Lsn = number

/** The size of a file of the write-ahead log; initdb's default, which Tacho never changes. */
export const SEGMENT_BYTES = 16 * 2 ** 20

/** @param text as PostgreSQL writes it, such as `16/B374D848` */
export function lsnOf(text: string): Lsn {
  const [high = '', low = ''] = text.split('/')
  const lsn = Number.parseInt(high, 16) * 2 ** 32 + Number.parseInt(low, 16)
  if (!Number.isSafeInteger(lsn)) throw new Error(`${text} is no position in the write-ahead log`)
  return lsn
}

/** As PostgreSQL writes it. */
export function lsnText(lsn: Lsn): string {
  return `${Math.floor(lsn / 2 ** 32).toString(16)}/${(lsn % 2 ** 32).toString(16)}`.toUpperCase()
}

/** The number of the segment that holds the byte at `lsn`. */
export const segmentAt = (lsn: Lsn): number => Math.floor(lsn / SEGMENT_BYTES)

/** The number of the segment that holds the last byte before `lsn`. */
export const segmentBefore = (lsn: Lsn): number => segmentAt(lsn - 1)

const SEGMENTS_PER_HIGH = 2 ** 32 / SEGMENT_BYTES

/** The name of its file in `pg_wal`. */
export function segmentName(timeline: number, segment: number): string {
  const parts = [timeline, Math.floor(segment / SEGMENTS_PER_HIGH), segment % SEGMENTS_PER_HIGH]
  return parts
    .map(part => part.toString(16).padStart(8, '0'))
    .join('')
    .toUpperCase()
}

/** The number of a segment by the name of its file; undefined for any other name. */
export function segmentOf(name: string): number | undefined {
  if (!/^[0-9A-F]{24}$/.test(name)) return undefined
  return Number.parseInt(name.slice(8, 16), 16) * SEGMENTS_PER_HIGH + Number.parseInt(name.slice(16), 16)
}
