import type { ByteReader } from './bytes.ts'
import { lowerBound } from './lower-bound.ts'
import { readNumbers } from './number-column.ts'
import { readTexts } from './text-column.ts'

/** The values of one event type, unpacked. */
export interface Column {
  /** For each number of a value, those of all samples; none of texts. */
  readonly numbers: readonly Float64Array[]
  readonly texts: readonly string[]
  /** The place of each value; undefined where each stands at its place. */
  readonly places: Uint32Array | undefined
}

/** A column of fewer samples than every fourth one stays as it is: spread, those of ever new layouts would take too much memory. */
const SPREAD_FROM = 4

/**
 * Unpacks the column that begins where the reader is.
 * @param take gives memory for so many numbers
 */
export function columnOf(
  reader: ByteReader,
  {
    width,
    places,
    count,
  }: { readonly width: number; readonly places: Uint32Array | undefined; readonly count: number },
  take: (count: number) => Float64Array<ArrayBuffer>,
): Column {
  const values = places?.length ?? count
  const spreadOver = places && values * SPREAD_FROM >= count ? places : undefined
  const texts = width === 0 ? readTexts(reader, values) : []
  const numbers = Array.from({ length: width }, () => {
    const all = take(spreadOver ? count : values)
    readNumbers(reader, values, all.subarray(0, values))
    if (spreadOver) spread(all, spreadOver)
    return all
  })
  if (!spreadOver) return { numbers, texts, places }
  const spreadTexts: string[] = texts.length === 0 ? [] : Array.from({ length: count }, () => '')
  for (const [rank, text] of texts.entries()) spreadTexts[spreadOver[rank] ?? 0] = text
  return { numbers, texts: spreadTexts, places: undefined }
}

/** The last one first, as none goes to a place before its own. What stands at other places is nothing. */
function spread(numbers: Float64Array, places: Uint32Array): void {
  for (let rank = places.length - 1; rank >= 0; rank--) numbers[places[rank] as number] = numbers[rank] as number
}

/** Which value of a column belongs to the sample at a place, which has one. */
export function rankOf(places: Uint32Array | undefined, place: number): number {
  return places ? lowerBound(places, place) : place
}
