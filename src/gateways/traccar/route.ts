import type { FastifyInstance } from 'fastify'
import type { Clock } from '../../lib/clock.ts'
import { badRequest, ClientError } from '../../model/errors.ts'
import type { Intake } from '../../pipeline/intake.ts'
import { callerOf } from '../../server/http/access.ts'
import { requireBounded } from '../../server/http/json-bounds.ts'
import { readParameters } from '../../server/http/parameters.ts'
import { submissionOf } from '../shared/gather-samples.ts'
import type { CountLeftOut } from '../shared/left-out-values.ts'
import { type ForwardedPosition, type Odometer, readForwardedPosition } from './read-position.ts'
import { BODY_BOUNDS, MAX_BODY_BYTES, MAX_POSITIONS, traccarQuery } from './schema.ts'

export interface TraccarOptions {
  readonly intake: Intake
  readonly countLeftOut: CountLeftOut
  readonly clock: Clock
}

/** POST /ingest/traccar: what a Traccar server forwards, answered after it is stored (docs/gateways/traccar.md). */
export function forwardedPositions(server: FastifyInstance, { intake, countLeftOut, clock }: TraccarOptions): void {
  boundedJson(server)
  server.post<{ Querystring: Record<string, string | string[]> }>(
    '/ingest/traccar',
    { config: { access: 'ingest' }, bodyLimit: MAX_BODY_BYTES },
    async request => {
      const { odometer } = readParameters(traccarQuery.properties, request.query) as { readonly odometer?: Odometer }
      const positions = positionsOf(request.body, odometer ?? 'OBD')
      const submission = submissionOf(positions, clock.wallMs(), callerOf(request).accountId)
      const outcome = submission && (await intake.submit(submission))
      if (outcome?.kind === 'refused') {
        const index = positions.findIndex(({ deviceId }) => outcome.deviceIds.has(deviceId))
        throw badRequest(`${whereOf(request.body, index)}device.uniqueId is not a device of this account.`)
      }
      for (const { leftOut } of positions) countLeftOut('traccar', leftOut)
      return { accepted: outcome?.accepted ?? 0, duplicates: outcome?.duplicates ?? 0 }
    },
  )
}

/** JSON as Fastify parses it, after a scan of its size. */
function boundedJson(server: FastifyInstance): void {
  const parse = server.getDefaultJsonParser('error', 'error')
  server.removeContentTypeParser('application/json')
  server.addContentTypeParser<Buffer>('application/json', { parseAs: 'buffer' }, (request, body, done) => {
    try {
      requireBounded(body, BODY_BOUNDS)
    } catch (error) {
      done(error as Error)
      return
    }
    void parse(request, body.toString(), done)
  })
}

function positionsOf(body: unknown, odometer: Odometer): readonly ForwardedPosition[] {
  const bodies: readonly unknown[] = Array.isArray(body) ? body : [body]
  if (bodies.length > MAX_POSITIONS)
    throw new ClientError(413, `A request may hold at most ${MAX_POSITIONS} positions.`)
  return bodies.map((one, index) => readForwardedPosition(one, whereOf(body, index), odometer))
}

/** How an error names one of the bodies of a request. */
function whereOf(body: unknown, index: number): string {
  return Array.isArray(body) ? `[${index}].` : ''
}
