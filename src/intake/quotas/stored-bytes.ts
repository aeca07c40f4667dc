import type { Sample } from '../sample.ts'

/** The head of a row, its columns that have a fixed length, and its place in the index. */
const ROW_BYTES = 90
/** Of numbers as they are packed; measured on drives of real cars. */
const NUMBER_BYTES = 5
const TEXT_BYTES = 8
const TEXTS_BYTES = 24

/** What a sample takes on the disk, about. */
export function storedBytesOf({ numbers, texts }: Sample): number {
  let bytes = ROW_BYTES + numbers.length * NUMBER_BYTES
  if (texts.length === 0) return bytes
  bytes += TEXTS_BYTES
  for (const text of texts) bytes += TEXT_BYTES + text.length
  return bytes
}
