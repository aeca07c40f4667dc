import { badRequest, ClientError } from '../../model/errors.ts'
import { type JsonBounds, requireBounded } from '../../server/http/json-bounds.ts'
import { type Report, readingOfReports, receivedReports } from '../shared/reports.ts'
import { MAX_LOCATIONS, readLocations } from './read-location.ts'
import { readQuery } from './read-query.ts'

export interface PhoneTerms {
  /** Everything that is not JSON is a form, as in Traccar: phones often send a wrong content type. */
  readonly form: 'json' | 'form'
  /** The query of the address, whose parameters come before those of a form. */
  readonly query: string
  /** The time of a report without one. */
  readonly nowMs: number
}

/** Phones send some twenty-five values with each location. */
const BODY_BOUNDS: JsonBounds = { depth: 32, values: 30 * MAX_LOCATIONS }
/** A form is one report. */
const MAX_PARAMETERS = 1000

/** How bodies of phones are read. */
export const reading = readingOfReports('phones', (bytes, terms: PhoneTerms) =>
  receivedReports(reportsOf(bytes, terms), () => ''),
)

/** @throws ClientError 400 naming what can not be kept, 413 when there is too much */
function reportsOf(bytes: Uint8Array, { form, query, nowMs }: PhoneTerms): readonly Report[] {
  const text = () => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString()
  if (form === 'json') {
    requireBounded(bytes, BODY_BOUNDS)
    return readLocations(parsed(text()))
  }
  const parameters = new URLSearchParams(query)
  for (const [name, value] of new URLSearchParams(bounded(text()))) parameters.append(name, value)
  return [readQuery(parameters, nowMs)]
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw badRequest('The body is not valid JSON.')
  }
}

function bounded(form: string): string {
  if (form.split('&', MAX_PARAMETERS + 1).length > MAX_PARAMETERS)
    throw new ClientError(413, `A form may have at most ${MAX_PARAMETERS} parameters.`)
  return form
}
