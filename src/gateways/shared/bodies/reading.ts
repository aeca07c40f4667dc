import type { PackedBody } from './packed-samples.ts'

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
