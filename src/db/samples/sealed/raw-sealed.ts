import type { DeviceId } from '../../../model/sample.ts'
import { SampleLayout } from '../../../model/sample-layout.ts'
import { quotedItem } from '../../values.ts'
import { OWN_LAYOUT_ID } from '../layouts.ts'
import { packedBytesAtMost, packNumbers } from '../packed-numbers.ts'
import type { RawSample } from '../packed-samples.ts'
import type { StoredSample } from './sealed-body.ts'

/** Sealed samples in the form in which the database sends others, so that whoever reads need not know which is which. */
export function rawSamplesOf(samples: readonly StoredSample[]): RawSample[] {
  let atMost = 0
  for (const { numbers } of samples) atMost += packedBytesAtMost(numbers.length)
  // Packing writes whole words, also behind the last number.
  const packed = Buffer.alloc(atMost + 16)
  const view = new DataView(packed.buffer, packed.byteOffset, packed.length)
  const textPieces: Buffer[] = []
  const places: { readonly numbersAt: number; readonly textsAt: number }[] = []
  let [numbersAt, textsAt] = [0, 0]
  for (const sample of samples) {
    places.push({ numbersAt, textsAt })
    if (sample.numbers.length > 0) numbersAt = packNumbers(sample.numbers, view, numbersAt)
    const texts =
      sample.layoutId === OWN_LAYOUT_ID ? [SampleLayout.of(sample.types).text, ...sample.texts] : sample.texts
    if (texts.length === 0) continue
    const bytes = Buffer.from(`{${texts.map(quotedItem).join(',')}}`)
    const length = Buffer.alloc(4)
    length.writeInt32BE(bytes.length)
    textPieces.push(length, bytes)
    textsAt += length.length + bytes.length
  }
  const columns = { numbers: packed.subarray(0, numbersAt), texts: Buffer.concat(textPieces) }
  return samples.map(({ deviceId, timeMs, storedUs, types, layoutId }, index) => ({
    deviceId,
    timeMs,
    storedUs,
    layout: SampleLayout.of(types),
    isOwnLayout: layoutId === OWN_LAYOUT_ID,
    columns,
    numbersAt: places[index]?.numbersAt ?? 0,
    textsAt: places[index]?.textsAt ?? 0,
  }))
}

/** A sample that was read from rows hides the one of the same device and instant that is sealed: it is the newer one. */
export function keyOf({ deviceId, timeMs }: { readonly deviceId: DeviceId; readonly timeMs: number }): string {
  return `${deviceId} ${timeMs}`
}
