import { setImmediate } from 'node:timers/promises'
import type { EventTypeId } from '../../../catalogue/event-types.ts'
import type { DeviceId, Sample } from '../../../model/sample.ts'

/** How bodies of one kind are read: small ones at once, large ones in a thread (`src/gateways/reading-worker.ts`). */
export interface BodyReading<Terms, Received, Packed extends PackedBody> {
  /** How the thread finds it. */
  readonly name: 'events' | 'traccar' | 'phones'
  /** From this size on, a body is read in a thread. */
  readonly largeBytes: number
  /**
   * @param bytes UTF-8
   * @param terms what else there is to know; it can be copied to a thread
   * @throws ClientError when the body is refused
   */
  read(bytes: Uint8Array, terms: Terms): Received
  /** What is sent from the thread: plain values, lists and maps. */
  pack(received: Received): Packed
  unpack(packed: Packed): Promise<Received>
}

/** The input of a thread. */
export interface ReadingOrder {
  readonly name: BodyReading<unknown, unknown, PackedBody>['name']
  readonly bytes: Uint8Array
  readonly terms: unknown
}

/** Its result. */
export type ReadingResult<Packed extends PackedBody> =
  | { readonly kind: 'received'; readonly packed: Packed }
  | { readonly kind: 'refused'; readonly status: number; readonly message: string }

/**
 * Samples as a few long arrays of numbers, which are transferred between threads without copying. Half a
 * million small objects would cost the other thread as much as parsing the JSON.
 */
export interface PackedSamples {
  readonly deviceIds: Float64Array<ArrayBuffer>
  readonly timesMs: Float64Array<ArrayBuffer>
  /** How many types, numbers and texts each sample has, one after the other. */
  readonly counts: Uint16Array<ArrayBuffer>
  /** Those of all samples, concatenated; so are `numbers` and `texts`. */
  readonly types: Uint16Array<ArrayBuffer>
  readonly numbers: Float64Array<ArrayBuffer>
  readonly texts: readonly string[]
}

/** The content of a body between two threads. */
export interface PackedBody {
  readonly samples: PackedSamples
}

export function packSamples(samples: readonly Sample[]): PackedSamples {
  return {
    deviceIds: Float64Array.from(samples, sample => sample.deviceId),
    timesMs: Float64Array.from(samples, sample => sample.timeMs),
    counts: Uint16Array.from(samples.flatMap(({ types, numbers, texts }) => [types, numbers, texts].map(sizeOf))),
    types: Uint16Array.from(samples.flatMap(sample => sample.types)),
    numbers: Float64Array.from(samples.flatMap(sample => sample.numbers)),
    texts: samples.flatMap(sample => sample.texts),
  }
}

const sizeOf = (list: readonly unknown[]) => list.length

/** The buffers that are transferred instead of copied. */
export function transferable({ deviceIds, timesMs, counts, types, numbers }: PackedSamples): ArrayBuffer[] {
  return [deviceIds, timesMs, counts, types, numbers].map(({ buffer }) => buffer)
}

/** Half a millisecond of unpacking. */
const SAMPLES_AT_ONCE = 2000

/** Other work of this thread gets a turn now and then. */
export async function unpackSamples(packed: PackedSamples): Promise<Sample[]> {
  const { deviceIds, timesMs, counts, types, numbers, texts } = packed
  const samples: Sample[] = []
  let [nextType, nextNumber, nextText] = [0, 0, 0]
  for (let index = 0; index < deviceIds.length; index++) {
    if (index % SAMPLES_AT_ONCE === SAMPLES_AT_ONCE - 1) await setImmediate()
    const endOfTypes = nextType + (counts[3 * index] ?? 0)
    const endOfNumbers = nextNumber + (counts[3 * index + 1] ?? 0)
    const endOfTexts = nextText + (counts[3 * index + 2] ?? 0)
    samples.push({
      deviceId: (deviceIds[index] ?? 0) as DeviceId,
      timeMs: timesMs[index] ?? 0,
      types: part(types, nextType, endOfTypes) as EventTypeId[],
      numbers: part(numbers, nextNumber, endOfNumbers),
      texts: texts.slice(nextText, endOfTexts),
    })
    nextType = endOfTypes
    nextNumber = endOfNumbers
    nextText = endOfTexts
  }
  return samples
}

/** `Array.from` with a part of a typed array takes several times as long. */
function part(list: Uint16Array | Float64Array, start: number, end: number): number[] {
  const numbers: number[] = []
  for (let at = start; at < end; at++) numbers.push(list[at] ?? 0)
  return numbers
}
