import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Logger } from 'pino'
import { Type } from 'typebox'
import { actorOf } from '../access/callers.ts'
import { GatheredLines } from '../access/security-log.ts'
import type { Database } from '../db/database.ts'
import type { Clock } from '../lib/clock.ts'
import { callerOf } from '../server/http/access.ts'
import { type Resource, routesOf } from './context.ts'

declare module 'fastify' {
  interface FastifyInstance {
    readonly gatheredLines: GatheredLines
  }
}

const EVERY_VEHICLE = 'every vehicle'

/** A longer name than any that exists is truncated. */
const LONGEST_OBJECT = 40

/** Collects what is read on this server, until it closes. */
export function gatherSecurityLines(
  server: FastifyInstance,
  { database, clock }: { readonly database: Database; readonly clock: Clock },
  log: Logger,
): void {
  const lines = new GatheredLines({ database, log, clock })
  server.decorate('gatheredLines', lines)
  server.addHook('onClose', () => lines.close())
}

/** Whose positions a request reads: of one vehicle or device, else of all that the caller sees. */
interface PositionsRead {
  readonly vehicleId?: string | undefined
  readonly deviceId?: number | undefined
  readonly tripId?: string | undefined
}

/** Notes that the caller reads positions: once an hour per caller and vehicle; nothing if it may not see positions. */
export function notePositions(request: FastifyRequest, { vehicleId, deviceId, tripId }: PositionsRead): void {
  if (!callerOf(request).permissions.has('positions')) return
  const ofDevice = deviceId === undefined ? undefined : `device ${deviceId}`
  const ofTrip = tripId === undefined ? undefined : `trip ${tripId}`
  note(request, 'positions-read', vehicleId ?? ofDevice ?? ofTrip ?? EVERY_VEHICLE)
}

/** A list of these event types, or of all types, contains positions. */
export const havePositions = (eventTypes: readonly string[] | undefined): boolean =>
  eventTypes?.includes('POSITION') ?? true

function note(request: FastifyRequest, kind: 'positions-read' | 'data-exported', object: string): void {
  request.server.gatheredLines.note({
    kind,
    actor: actorOf(callerOf(request)),
    address: request.ip,
    object: object.slice(0, LONGEST_OBJECT),
  })
}

/** What files hold: figures of the fleet, and what only administrators see. */
const FILES = [
  ...(['trips', 'route', 'measurements', 'faults', 'statistics', 'visits', 'incidents', 'rules', 'devices'] as const),
  ...(['users', 'keys', 'security-log'] as const),
]

/** POST /exports: the console reports that it exported data to a file, for the security log. */
export const exports: Resource = (server, context) => {
  const route = routesOf(server, context, { access: 'any', tag: 'Administration', isUntranslated: true })
  route('POST /exports', {
    operationId: 'noteExport',
    summary: 'Say that a file is made',
    description: 'Beyond the original document: for the security log, one line for a caller, kind of file and hour.',
    body: ExportBody,
    // Once an hour per caller and kind of file.
    answer: ({ request, body }) => note(request, 'data-exported', body.file),
  })
}

const ExportBody = Type.Object(
  {
    file: Type.Unsafe<(typeof FILES)[number]>({
      type: 'string',
      enum: FILES,
      description: 'What the file holds.',
      examples: ['trips'],
    }),
  },
  { title: 'Export', additionalProperties: false },
)
