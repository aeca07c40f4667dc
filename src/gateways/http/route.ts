import type { Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { badRequest, ClientError } from '../../errors.ts'
import { callerOf } from '../../http/access.ts'
import { eventsOfJson, eventsOfLines, samplesOf } from '../../intake/event-json/read-events.ts'
import type { Intake } from '../../intake/intake.ts'
import { refusedDevice } from './refused-device.ts'
import { MAX_BODY_BYTES } from './schema.ts'

type ReadEvents = (text: string) => readonly unknown[]

const READERS: Readonly<Record<string, ReadEvents>> = {
  'application/json': eventsOfJson,
  'application/x-ndjson': eventsOfLines,
  'application/ndjson': eventsOfLines,
  'application/jsonl': eventsOfLines,
}

/** POST /ingest/events: measurements as JSON, answered after they are stored. */
export function ingestEvents(server: FastifyInstance, intake: Intake): void {
  server.removeAllContentTypeParsers()
  server.addContentTypeParser(
    Object.keys(READERS),
    { parseAs: 'string', bodyLimit: MAX_BODY_BYTES },
    (request, body, done) => {
      try {
        done(null, readerOf(request)(body.toString()))
      } catch (error) {
        done(error as Error)
      }
    },
  )
  server.post<{ Body: readonly unknown[] | undefined }>(
    '/ingest/events',
    {
      config: { access: 'ingest' },
      preParsing: async (request, _reply, payload) => inflated(request, payload),
    },
    async request => {
      const events = request.body
      if (!events) throw badRequest('The body is empty; it must hold events.')
      const { samples, repeated, conflicts } = samplesOf(events, { refuseMisdatedAtMs: Date.now() })
      if (samples.length === 0) return { accepted: 0, duplicates: 0 }
      const outcome = await intake.submit({ samples, accountId: callerOf(request).accountId })
      if (outcome.kind === 'refused') throw refusedDevice(events, outcome.deviceIds)
      if (conflicts + outcome.conflicts > 0)
        request.log.info({ conflicts: conflicts + outcome.conflicts }, 'conflicting values')
      return { accepted: outcome.accepted, duplicates: outcome.duplicates + repeated }
    },
  )
}

function readerOf(request: FastifyRequest): ReadEvents {
  const contentType = (request.headers['content-type'] ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? ''
  return READERS[contentType] ?? eventsOfJson
}

/** The body without its gzip encoding; the limit of the body counts what comes out. */
function inflated(request: FastifyRequest, payload: Readable): Readable {
  const encoding = request.headers['content-encoding']?.trim().toLowerCase()
  if (encoding === undefined || encoding === 'identity') return payload
  if (encoding !== 'gzip' && encoding !== 'x-gzip')
    throw new ClientError(415, `The content encoding ${encoding} is not supported; gzip is.`)
  // Fastify compares what it reads with Content-Length unless it is told what arrived.
  const gunzip = Object.assign(createGunzip(), { receivedEncodedLength: 0 })
  payload.on('data', (chunk: Buffer) => {
    gunzip.receivedEncodedLength += chunk.length
  })
  payload.on('error', error => gunzip.destroy(error))
  gunzip.on('error', error => {
    if (!('status' in error)) Object.assign(error, { statusCode: 400, code: 'FST_ERR_CTP_INVALID_GZIP' })
  })
  return payload.pipe(gunzip)
}
