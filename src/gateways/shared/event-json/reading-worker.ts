// A thread that reads large bodies: see body-reader.ts.
import { parentPort } from 'node:worker_threads'
import { ClientError } from '../../../model/errors.ts'
import { type PackedReceived, packReceived, transferable } from './packed-received.ts'
import { type BodyForm, readBody } from './read-body.ts'
import type { EventCircumstances } from './read-event.ts'

/** The input of the thread. */
export interface ReadingOrder {
  readonly bytes: Uint8Array
  readonly form: BodyForm
  readonly circumstances: EventCircumstances
}

/** The result. */
export type ReadingResult =
  | { readonly kind: 'received'; readonly packed: PackedReceived }
  | { readonly kind: 'refused'; readonly status: number; readonly message: string }

parentPort?.on('message', ({ bytes, form, circumstances }: ReadingOrder) => {
  const result = resultOf(() => packReceived(readBody(bytes, form, circumstances)))
  parentPort?.postMessage(result, result.kind === 'received' ? transferable(result.packed) : [])
})

function resultOf(read: () => PackedReceived): ReadingResult {
  try {
    return { kind: 'received', packed: read() }
  } catch (error) {
    if (error instanceof ClientError) return { kind: 'refused', status: error.status, message: error.message }
    throw error
  }
}
