import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Logger } from 'pino'
import { actorOf } from '../access/callers.ts'
import { GatheredLines } from '../access/security-log/gathered-lines.ts'
import type { Database } from '../db/database.ts'
import { callerOf } from '../server/http/access.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** Lines of the security log that no request waits for. */
    readonly gatheredLines: GatheredLines
  }
}

const EVERY_VEHICLE = 'every vehicle'

/** Of one longer than any that there is, the begin. */
const LONGEST_OBJECT = 40

/** Gathers what is read on this server, until it closes. */
export function gatherSecurityLines(server: FastifyInstance, database: Database, log: Logger): void {
  const lines = new GatheredLines({ database, log })
  server.decorate('gatheredLines', lines)
  server.addHook('onClose', () => lines.close())
}

/** Whose positions a request reads: of one vehicle or device, else of all that the caller sees. */
export interface PositionsRead {
  readonly vehicleId?: string | undefined
  readonly deviceId?: number | undefined
  readonly tripId?: string | undefined
}

/** Notes that the caller reads positions: once an hour for a caller and a vehicle. Nothing, where it may not see any. */
export function notePositions(request: FastifyRequest, { vehicleId, deviceId, tripId }: PositionsRead): void {
  if (!callerOf(request).permissions.has('positions')) return
  const ofDevice = deviceId === undefined ? undefined : `device ${deviceId}`
  const ofTrip = tripId === undefined ? undefined : `trip ${tripId}`
  note(request, 'positions-read', vehicleId ?? ofDevice ?? ofTrip ?? EVERY_VEHICLE)
}

/** Whether a list of these event types, or of all, has positions. */
export const havePositions = (eventTypes: readonly string[] | undefined): boolean =>
  eventTypes?.includes('POSITION') ?? true

/** Notes that the caller makes a file of what it has read: once an hour for a caller and a kind of file. */
export function noteExport(request: FastifyRequest, what: string): void {
  note(request, 'data-exported', what)
}

function note(request: FastifyRequest, kind: 'positions-read' | 'data-exported', object: string): void {
  request.server.gatheredLines.note({
    kind,
    actor: actorOf(callerOf(request)),
    address: request.ip,
    object: object.slice(0, LONGEST_OBJECT),
  })
}
