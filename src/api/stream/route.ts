import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Logger } from 'pino'
import { type Static, Type } from 'typebox'
import type { Caller } from '../../access/callers.ts'
import { hiddenEventTypes, type Permission } from '../../catalogue/permissions.ts'
import type { ChangeKind } from '../../changes/source.ts'
import { readLowWatermark } from '../../db/low-watermark.ts'
import { badRequest, forbidden } from '../../model/errors.ts'
import { tokenOf } from '../../server/http/access.ts'
import type { Metrics } from '../../server/http/health.ts'
import {
  deviceIdParameter,
  idParameter,
  textsParameter,
  timestampParameter,
  wordsParameter,
} from '../../server/http/parameters.ts'
import { parseTimestamp } from '../../server/http/timestamps.ts'
import { type ApiContext, routesOf } from '../context.ts'
import { type Language, restoreNotice } from '../replies.ts'
import { checkedByRoute, languageHeader } from '../schemas.ts'
import { notePositions } from '../security-lines.ts'
import { lastEventTypesParameter } from '../v2/vehicles.ts'
import { readyEvent } from './event-stream.ts'
import { type Selection, StreamHub } from './hub.ts'
import { BufferedBytes, OpenStreams } from './open-streams.ts'

const STREAMS_OF_ALL = 2_000

const MIB = 1024 * 1024
/** A single stream may have one page waiting: see event-stream.ts. */
const BUFFERED_BYTES = { perAccount: 32 * MIB, total: 128 * MIB }

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

/** GET /stream: what changes in the caller's account, as it happens. @param kinds what a stream can carry */
export function stream(
  server: FastifyInstance,
  context: ApiContext,
  kinds: readonly ChangeKind[],
  metrics: Metrics,
  log: Logger,
): void {
  const { database, callers, config } = context
  const buffered = new BufferedBytes(BUFFERED_BYTES)
  const hub = new StreamHub({ database, log, isFull: accountId => buffered.isFull(accountId) })
  const streams = new OpenStreams({
    callers,
    limits: { perCaller: config.streamLimit, perAccount: config.accountStreamLimit, total: STREAMS_OF_ALL },
    buffered,
    heartbeatMs: config.streamHeartbeatS * 1000,
    registry: metrics.registry,
  })
  // Before the server waits for open connections.
  server.addHook('preClose', async () => streams.endAll())
  server.addHook('onClose', () => hub.close())
  const noticeRestore = restoreNotice(database)
  const route = routesOf(server, context, { access: 'any', tag: 'Stream' })
  route('GET /stream', {
    summary: 'Follow what changes',
    description: DESCRIPTION,
    headers: streamHeaders,
    query: streamQuery(kinds.map(({ name }) => name)),
    reply: StreamBody,
    answer: async asked => {
      const { request, reply, caller, query } = asked
      const selection = selectionOf(query, caller, kinds, asked.language)
      const lastId = request.headers['last-event-id']
      const known = resumedFrom(typeof lastId === 'string' ? lastId : undefined) ?? query.lastEventId
      void reply.type('text/event-stream; charset=utf-8')
      // Otherwise nginx buffers frames before it forwards them.
      void reply.header('x-accel-buffering', 'no')
      if (request.method === 'HEAD') return reply.send('')
      // A caller over its limit must not use the database.
      streams.requireRoom(caller)
      const now = await readLowWatermark(asked.reads)
      // An id from the future comes from another server, or from a wrong clock.
      const position = known !== undefined && known < now ? known : now
      await noticeRestore(reply, known)
      const opened = streams.open(reply, { caller, token: tokenOf(request) ?? '' }, position)
      opened.send(readyEvent(position))
      void hub.follow(opened, selection, position === now)
      noteFollowed(request, reply, selection)
      return reply.send(opened.body)
    },
  })
}

/** A stream that carries positions is noted in the security log once an hour. */
const NOTED_EVERY_MS = 600_000

/** Objects that say where cars are or were. */
const WITH_POSITIONS: readonly string[] = ['vehicles', 'trips', 'incidents']

function noteFollowed(request: FastifyRequest, reply: FastifyReply, selection: Selection): void {
  const { kinds, eventTypes } = selection
  if (!kinds.some(({ name }) => WITH_POSITIONS.includes(name)) && !eventTypes.includes('POSITION')) return
  notePositions(request, selection)
  const timer = setInterval(() => notePositions(request, selection), NOTED_EVERY_MS)
  reply.raw.once('close', () => clearInterval(timer))
}

/** Without `resources`, everything that the caller may read; of events only the types named. */
function selectionOf(query: StreamQuery, caller: Caller, kinds: readonly ChangeKind[], language: Language): Selection {
  const { resources, eventTypes = [], lastEventTypes, deviceId, vehicleId } = query
  const { accountId, permissions } = caller
  const wanted = new Set<Permission>(resources)
  if (eventTypes.length > 0) wanted.add('events')
  const denied = [...wanted].find(name => !permissions.has(name))
  if (denied) throw forbidden(denied)
  if (wanted.has('events') && eventTypes.length === 0)
    throw badRequest('eventTypes must name the event types that the stream is to carry.')
  const isWanted = ({ name }: ChangeKind) =>
    wanted.has(name) || (resources === undefined && name !== 'events' && permissions.has(name))
  return {
    accountId,
    kinds: kinds.filter(isWanted),
    eventTypes: [...eventTypes].sort(),
    lastEventTypes: lastEventTypes && [...lastEventTypes].sort(),
    deviceId,
    vehicleId,
    language,
    hiddenTypes: hiddenEventTypes(permissions),
    maySeePositions: permissions.has('positions'),
  }
}

function resumedFrom(header: string | undefined): string | undefined {
  if (header === undefined || header.trim() === '') return undefined
  const revision = parseTimestamp(header)
  if (revision === undefined)
    throw badRequest('Last-Event-ID must be the id of a frame, such as 2020-02-22T14:37:07.797123Z.')
  return revision
}

/** @param resources what a stream can carry */
const streamQuery = (resources: readonly Permission[]) =>
  Type.Object({
    resources: Type.Optional(
      wordsParameter(
        resources,
        `What to carry, separated by commas: ${resources.join(', ')}. By default everything that the caller may read, events only as eventTypes says.`,
      ),
    ),
    eventTypes: Type.Optional(
      textsParameter('Events of these types, separated by commas; needed for events, and enough to get them.', [
        'POSITION,GPS_SPEED',
      ]),
    ),
    lastEventTypes: Type.Optional(lastEventTypesParameter()),
    deviceId: Type.Optional(deviceIdParameter('Only what belongs to this device; the vehicles that it was in.')),
    vehicleId: Type.Optional(
      idParameter('Only this vehicle and what belongs to it, by its public id.', ['VINWVWZZZ1JZ3W386752']),
    ),
    lastEventId: Type.Optional(
      timestampParameter('The same as the header Last-Event-ID, for clients that cannot set it; the header wins.'),
    ),
  })
type StreamQuery = Static<ReturnType<typeof streamQuery>>

const streamHeaders = Type.Object({
  ...languageHeader.properties,
  'last-event-id': Type.Optional(
    Type.String({
      description: 'The id of the last frame that was received: the stream goes on after it.',
      ...checkedByRoute({ format: 'date-time' }),
      examples: ['2020-02-22T14:37:07.797123Z'],
    }),
  ),
})

const EXAMPLE = [
  'event: ready\nid: 2020-02-22T14:37:07.797123Z\ndata: {"modifyTimestamp":"2020-02-22T14:37:07.797123Z"}\n',
  'event: devices\ndata: [{"id":356307042441013,"isOnline":true, …}]\n',
  'event: vehicles\nid: 2020-02-22T14:37:08.120417Z\ndata: [{"id":"VINWVWZZZ1JZ3W386752", …}]\n',
  ':\n',
].join('\n')

/** A text stream has no JSON schema of its own; the objects in `data` have those of the lists. */
const StreamBody = {
  description: 'Server-sent events.',
  content: {
    'text/event-stream': {
      schema: Type.String({
        description:
          'Frames of server-sent events. `ready` comes first, with `{"modifyTimestamp": …}`; then `vehicles`, ' +
          '`devices`, `trips`, `dtcs` and `events`, whose data is an array of up to some hundred objects as the list ' +
          'of that name has them (`events`: the items of GET /events).',
        examples: [EXAMPLE],
      }),
    },
  },
} as const
