import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Logger } from 'pino'
import { readLowWatermark } from '../../db/low-watermark.ts'
import { badRequest } from '../../model/errors.ts'
import { callerOf, tokenOf } from '../../server/http/access.ts'
import type { Metrics } from '../../server/http/health.ts'
import { parseTimestamp } from '../../server/http/timestamps.ts'
import type { ApiContext, ApiServer } from '../context.ts'
import { languageOf, restoreTeller } from '../replies.ts'
import { requestReads } from '../request-reads.ts'
import { errorReplies } from '../schemas.ts'
import { notePositions } from '../security-lines.ts'
import type { EventStream } from './event-stream.ts'
import { readyFrame } from './frames.ts'
import { HeldBytes } from './held-bytes.ts'
import { StreamHub } from './hub.ts'
import { streamMetrics } from './metrics.ts'
import { OpenStreams } from './open-streams.ts'
import { StreamBody, StreamQuery, streamHeaders } from './schema.ts'
import { type Selection, selectionOf } from './selection.ts'

const STREAMS_OF_ALL = 2_000

const MIB = 1024 * 1024
/** A single stream may have one page waiting: see event-stream.ts. */
const HELD_BYTES = { perAccount: 32 * MIB, total: 128 * MIB }

const DESCRIPTION = `
What changes in the fleet, as server-sent events (HTML, 9.2), within about a tenth of a second of its commit. Beyond the
original document.

Wait for \`ready\`, then load the lists: the stream sends everything that changes after the revision in it, so nothing is
missed; what comes twice is the same. Objects are complete, as in the lists with \`filterTimestamp\`: deleted ones have a
\`deleteTimestamp\`. An \`id\` says that everything up to it has been sent. Sent as \`Last-Event-ID\`, it lets a new stream
go on there, without a gap, however long ago it was. Comments come when nothing else does.

The service ends a stream when the token is revoked or allows something else, when the client takes nothing for some
seconds, and when it stops. Connect again after the \`retry\` that it names. More for authors of clients: docs/stream.md.
`.trim()

/** GET /stream: what changes in the caller's account, as it happens. */
export function stream(
  server: ApiServer,
  { database, callers, config }: ApiContext,
  metrics: Metrics,
  log: Logger,
): void {
  const held = new HeldBytes(HELD_BYTES)
  const hub = new StreamHub(database, log, held)
  const streams: OpenStreams = new OpenStreams({
    callers,
    limits: { perCaller: config.streamLimit, perAccount: config.accountStreamLimit, total: STREAMS_OF_ALL },
    held,
    heartbeatMs: config.streamHeartbeatS * 1000,
    metrics: streamMetrics(metrics.registry, () => streams.count),
  })
  // Before the server waits for open connections.
  server.addHook('preClose', async () => streams.endAll())
  server.addHook('onClose', () => hub.close())
  const tellOfRestore = restoreTeller(database)
  server.get(
    '/stream',
    {
      config: { access: 'any' },
      schema: {
        tags: ['Stream'],
        summary: 'Follow what changes',
        description: DESCRIPTION,
        headers: streamHeaders,
        querystring: StreamQuery,
        response: { 200: StreamBody, ...errorReplies },
      },
    },
    async (request, reply) => {
      const { headers, query } = request
      const caller = callerOf(request)
      const selection = selectionOf(query, caller, languageOf(headers['accept-language']))
      const known = resumedFrom(headers['last-event-id']) ?? query.lastEventId
      void reply.type('text/event-stream; charset=utf-8')
      // Otherwise nginx buffers frames before it forwards them.
      void reply.header('x-accel-buffering', 'no')
      if (request.method === 'HEAD') return reply.send('')
      // A caller over its limit must not use the database.
      streams.requireRoom(caller)
      const now = await readLowWatermark(requestReads(database, request, reply))
      // An id from the future comes from another server, or from a wrong clock.
      const position = known !== undefined && known < now ? known : now
      await tellOfRestore(reply, known)
      const opened = streams.open(reply, { caller, token: tokenOf(request) ?? '' }, position)
      opened.send(readyFrame(position))
      void hub.follow(opened, selection, position === now)
      noteFollowed(request, reply, selection)
      return sendStream(reply, opened)
    },
  )
}

/** A stream that carries positions is noted in the security log once an hour. */
const NOTED_EVERY_MS = 600_000

/** Resources that tell where cars are or were. */
const PLACED: readonly string[] = ['vehicles', 'trips', 'incidents']

function noteFollowed(request: FastifyRequest, reply: FastifyReply, { resources, eventTypes, ...of }: Selection): void {
  const hasPlaces = resources.some(name => PLACED.includes(name)) || eventTypes.includes('POSITION')
  if (!hasPlaces) return
  notePositions(request, of)
  const timer = setInterval(() => notePositions(request, of), NOTED_EVERY_MS)
  reply.raw.once('close', () => clearInterval(timer))
}

function sendStream(reply: FastifyReply, { body }: EventStream): FastifyReply {
  return reply.send(body)
}

function resumedFrom(header: string | undefined): string | undefined {
  if (header === undefined || header.trim() === '') return undefined
  const revision = parseTimestamp(header)
  if (revision === undefined)
    throw badRequest('Last-Event-ID must be the id of a frame, such as 2020-02-22T14:37:07.797123Z.')
  return revision
}
