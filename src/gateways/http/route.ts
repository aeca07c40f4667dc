import { type Readable, Transform, type TransformCallback } from 'node:stream'
import { createGunzip } from 'node:zlib'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Intake } from '../../ingest/intake.ts'
import type { Clock } from '../../lib/clock.ts'
import { badRequest, ClientError } from '../../model/errors.ts'
import type { DeviceId } from '../../model/sample.ts'
import { callerOf } from '../../server/http/access.ts'
import { type BodyReader, refuseLargeSlowly } from '../shared/bodies.ts'
import { type BodyForm, LARGE_BODY_BYTES, type ReceivedSamples, reading } from '../shared/event-json.ts'
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
    const terms = { form: formOf(request), context: { refuseMisdatedAtMs: clock.wallMs() } }
    return bodies.read(reading, body, terms, callerOf(request).accountId)
  })
  server.post<{ Body: ReceivedSamples | undefined }>(
    '/ingest/events',
    {
      config: { access: 'ingest' },
      bodyLimit: MAX_BODY_BYTES,
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

/** Names a device that may not report by its first event. @param firstOf the index of that event, by device */
function refusedDevice(firstOf: ReadonlyMap<DeviceId, number>, deviceIds: ReadonlySet<DeviceId>): ClientError {
  const index = Math.min(...[...deviceIds].map(id => firstOf.get(id) ?? Number.POSITIVE_INFINITY))
  return badRequest(`events[${index}].deviceId is not a device of this account.`)
}

/** Events that differ only in time compress about a hundredfold; a higher ratio is a decompression bomb. */
const MOST_TIMES = 200
/** Output up to this size is always allowed. */
const ALWAYS_BYTES = 1024 * 1024

/** Decodes a body; the limit applies to the decoded bytes. @throws ClientError 415 for an encoding other than gzip */
export function inflated(encodingHeader: string | undefined, payload: Readable): Readable {
  const encoding = encodingHeader?.trim().toLowerCase()
  if (!encoding || encoding === 'identity') return payload
  if (encoding !== 'gzip' && encoding !== 'x-gzip')
    throw new ClientError(415, `The content encoding ${encoding} is not supported; gzip is.`)
  const gunzip = createGunzip()
  const counted = new CountedBody()
  payload.on('data', (chunk: Buffer) => {
    counted.receivedEncodedLength += chunk.length
  })
  payload.on('error', error => gunzip.destroy(error))
  gunzip.on('error', error => {
    if (!('status' in error)) Object.assign(error, { statusCode: 400, code: 'FST_ERR_CTP_INVALID_GZIP' })
    counted.destroy(error)
  })
  // A refused body is not decompressed further.
  counted.on('close', () => gunzip.destroy())
  payload.pipe(gunzip).pipe(counted)
  return counted
}

class CountedBody extends Transform {
  /** Fastify compares what it reads with Content-Length unless it knows how many bytes arrived. */
  receivedEncodedLength = 0
  #bytes = 0

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    this.#bytes += chunk.length
    if (this.#bytes > Math.max(ALWAYS_BYTES, MOST_TIMES * this.receivedEncodedLength))
      done(new ClientError(413, `The body unpacks to more than ${MOST_TIMES} times its size.`))
    else done(null, chunk)
  }
}
