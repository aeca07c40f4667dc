import { badRequest, ClientError } from '../../model/errors.ts'
import { type JsonBounds, requireBounded } from '../../server/http/json-bounds.ts'
import { type ReceivedReports, readingOfReports, receivedReports } from '../shared/received-reports.ts'
import { type Odometer, readForwardedPosition } from './read-position.ts'

/** Limit of positions in a body. */
export const MAX_POSITIONS = 1000
/** Traccar's model has some fifty fields besides the attributes, and none of them nests half as deep. */
const BODY_BOUNDS: JsonBounds = { depth: 32, values: 100 * MAX_POSITIONS }

interface TraccarTerms {
  readonly odometer: Odometer
}

/** How bodies of forwarded positions are read: one position with its device, or an array of such. */
export const reading = readingOfReports('traccar', readPositions)

/** @throws ClientError 400 naming what can not be kept, 413 when there is too much */
function readPositions(bytes: Uint8Array, { odometer }: TraccarTerms): ReceivedReports {
  requireBounded(bytes, BODY_BOUNDS)
  const body = parse(bytes)
  const bodies: readonly unknown[] = Array.isArray(body) ? body : [body]
  if (bodies.length > MAX_POSITIONS)
    throw new ClientError(413, `A request may hold at most ${MAX_POSITIONS} positions.`)
  const nameOf = (index: number) => (Array.isArray(body) ? `[${index}].` : '')
  const reports = bodies.map((one, index) => readForwardedPosition(one, nameOf(index), odometer))
  return receivedReports(reports, nameOf)
}

function parse(bytes: Uint8Array): unknown {
  if (bytes.length === 0) throw badRequest('The body is empty; it must be JSON.')
  try {
    return JSON.parse(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString())
  } catch {
    throw badRequest('The body is not valid JSON.')
  }
}
