import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Intake } from '../../ingest/intake.ts'
import type { Clock } from '../../lib/clock.ts'
import { badRequest, type ClientError } from '../../model/errors.ts'
import type { DeviceId } from '../../model/sample.ts'
import { callerOf } from '../../server/http/access.ts'
import type { BodyReader } from '../shared/bodies/body-reader.ts'
import { refuseLargeSlowly } from '../shared/bodies/nothing-to-store.ts'
import type { BodyForm } from '../shared/event-json/read-body.ts'
import type { ReceivedSamples } from '../shared/event-json/read-events.ts'
import { LARGE_BODY_BYTES, reading } from '../shared/event-json/reading.ts'
import { inflated } from './inflate.ts'
import { MAX_BODY_BYTES } from './schema.ts'

const FORMS: Readonly<Record<string, BodyForm>> = {
  'application/json': 'json',
  'application/x-ndjson': 'lines',
  'application/ndjson': 'lines',
  'application/jsonl': 'lines',
}

interface IngestOptions {
  readonly intake: Intake
  readonly bodies: BodyReader
  readonly clock: Clock
}

/** POST /ingest/events: measurements as JSON, answered after they are stored. */
export function ingestEvents(server: FastifyInstance, { intake, bodies, clock }: IngestOptions): void {
  server.removeAllContentTypeParsers()
  server.addContentTypeParser(Object.keys(FORMS), { parseAs: 'buffer' }, (request: FastifyRequest, body: Buffer) => {
    const terms = { form: formOf(request), circumstances: { refuseMisdatedAtMs: clock.wallMs() } }
    return bodies.read(reading, body, terms, callerOf(request).accountId)
  })
  server.post<{ Body: ReceivedSamples | undefined }>(
    '/ingest/events',
    {
      config: { access: 'ingest' },
      bodyLimit: MAX_BODY_BYTES,
      preParsing: async (request, _reply, payload) => inflated(request.headers['content-encoding'], payload),
      onSend: refuseLargeSlowly(LARGE_BODY_BYTES),
    },
    async request => {
      if (!request.body) throw badRequest('The body is empty; it must hold events.')
      const { samples, repeated, conflicts, firstOf } = request.body
      if (samples.length === 0) return { accepted: 0, duplicates: 0 }
      const outcome = await intake.submit({
        samples,
        accountId: callerOf(request).accountId,
        sender: `request ${request.id}`,
      })
      if (outcome.kind === 'refused') throw refusedDevice(firstOf, outcome.deviceIds)
      if (conflicts + outcome.conflicts > 0)
        request.log.info({ conflicts: conflicts + outcome.conflicts }, 'conflicting values')
      return { accepted: outcome.accepted, duplicates: outcome.duplicates + repeated }
    },
  )
}

function formOf(request: FastifyRequest): BodyForm {
  const contentType = (request.headers['content-type'] ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? ''
  return FORMS[contentType] ?? 'json'
}

/**
 * How an error names a device that may not report: by its first event.
 * @param firstOf for each device of the body the index of its first event
 */
function refusedDevice(firstOf: ReadonlyMap<DeviceId, number>, deviceIds: ReadonlySet<DeviceId>): ClientError {
  const index = Math.min(...[...deviceIds].map(id => firstOf.get(id) ?? Number.POSITIVE_INFINITY))
  return badRequest(`events[${index}].deviceId is not a device of this account.`)
}
