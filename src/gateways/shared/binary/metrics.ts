import { Counter, type Registry } from 'prom-client'
import { addGauge } from '../../../lib/gauge.ts'
import type { BinaryProtocol } from './protocol.ts'

export type Transport = 'tcp' | 'udp'

export type FrameOutcome =
  /** Committed and acknowledged. */
  | 'stored'
  /** The answer of a device to a command; nothing of it is stored. */
  | 'messages'
  /** It is malformed. */
  | 'broken'
  /** Its device may not report. */
  | 'refused'
  /** It could not be stored now; the device sends it again. */
  | 'waiting'

type LoginOutcome =
  | 'accepted'
  | 'refused'
  | 'malformed'
  /** Its peer presented too many unknown devices. */
  | 'unanswered'

/** Why a connection was closed from this side. */
export type ClosingReason =
  | 'login too slow'
  | 'frame too slow'
  | 'idle'
  | 'farewell too slow'
  | 'too many connections'
  | 'too many logins at once'
  | 'too many strangers'
  | 'overload'
  | 'answers not taken'
  | 'out of step'
  | 'unanswered frame passed over'
  | 'same device again'
  | 'not stored'
  | 'refused'

export interface BinaryMetrics {
  readonly frame: (transport: Transport, outcome: FrameOutcome) => void
  readonly login: (outcome: LoginOutcome) => void
  readonly closed: (reason: ClosingReason) => void
  /** A connection broke: neither side closed it. */
  readonly lost: () => void
  readonly unknownIds: (ids: ReadonlyMap<number, number>) => void
}

/** More ids than the dongles of any protocol have; forged ones beyond it are counted together. */
const MOST_IDS = 1000

/** @param connections how many are open now */
export function observeProtocol(
  { name, unknownIds }: Pick<BinaryProtocol, 'name' | 'unknownIds'>,
  registry: Registry,
  connections: () => number,
): BinaryMetrics {
  const registers = [registry]
  // Summed up here and exported when scraped: a counter with labels takes longer than queueing in the intake.
  const uncountedFrames: Record<Transport, Partial<Record<FrameOutcome, number>>> = { tcp: {}, udp: {} }
  registry.registerMetric(
    new Counter({
      name: `tacho_${name}_frames_total`,
      help: 'Frames of TCP and datagrams of UDP by what became of them.',
      labelNames: ['transport', 'outcome'] as const,
      registers: [],
      collect() {
        for (const transport of ['tcp', 'udp'] as const) {
          for (const [outcome, count] of Object.entries(uncountedFrames[transport]))
            this.inc({ transport, outcome }, count)
          uncountedFrames[transport] = {}
        }
      },
    }),
  )
  const logins = new Counter({
    name: `tacho_${name}_logins_total`,
    help: 'Logins over TCP by their answer.',
    labelNames: ['outcome'] as const,
    registers,
  })
  const closed = new Counter({
    name: `tacho_${name}_closed_connections_total`,
    help: 'Connections that were not closed by the device, by the reason.',
    labelNames: ['reason'] as const,
    registers,
  })
  const lost = new Counter({
    name: `tacho_${name}_lost_connections_total`,
    help: 'Connections that broke: neither side closed them.',
    registers,
  })
  addGauge(registry, `tacho_${name}_connections`, 'Open connections over TCP.', () => connections())
  // Summed up here and exported when scraped: there are several in every record.
  const known = new Set<number>()
  const uncountedIds = new Map<number, number>()
  registry.registerMetric(
    new Counter({
      name: unknownIds.metric,
      help: unknownIds.help,
      labelNames: ['id'] as const,
      registers: [],
      collect() {
        for (const [id, count] of uncountedIds) {
          if (known.size < MOST_IDS) known.add(id)
          this.inc({ id: known.has(id) ? String(id) : 'other' }, count)
        }
        uncountedIds.clear()
      },
    }),
  )
  return {
    frame: (transport, outcome) => {
      const ofTransport = uncountedFrames[transport]
      ofTransport[outcome] = (ofTransport[outcome] ?? 0) + 1
    },
    login: outcome => logins.inc({ outcome }),
    closed: reason => closed.inc({ reason }),
    lost: () => lost.inc(),
    unknownIds: ids => {
      for (const [id, count] of ids) uncountedIds.set(id, (uncountedIds.get(id) ?? 0) + count)
    },
  }
}
