// A thread that reads large bodies: see shared/bodies.ts.
import { parentPort } from 'node:worker_threads'
import { ClientError } from '../model/errors.ts'
import { reading as osmand } from './osmand/read-report.ts'
import {
  type BodyReading,
  type PackedBody,
  type ReadingOrder,
  type ReadingResult,
  transferable,
} from './shared/bodies.ts'
import { reading as events } from './shared/event-json.ts'
import { reading as traccar } from './traccar/read-position.ts'

type AnyReading = BodyReading<unknown, unknown, PackedBody>

const READINGS: Readonly<Record<AnyReading['name'], AnyReading>> = { events, traccar, osmand }

parentPort?.on('message', (order: ReadingOrder) => {
  const result = resultOf(order)
  parentPort?.postMessage(result, result.kind === 'received' ? transferable(result.packed.samples) : [])
})

/** Any other error than a refusal ends the thread. */
function resultOf({ name, bytes, terms }: ReadingOrder): ReadingResult<PackedBody> {
  const reading = READINGS[name]
  try {
    return { kind: 'received', packed: reading.pack(reading.read(bytes, terms)) }
  } catch (error) {
    if (error instanceof ClientError) return { kind: 'refused', status: error.status, message: error.message }
    throw error
  }
}
