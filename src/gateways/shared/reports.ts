import { setTimeout as sleep } from 'node:timers/promises'
import { Counter, type Registry } from 'prom-client'
import type { EventTypeId } from '../../catalogue/event-types.ts'
import type { Intake } from '../../ingest/intake.ts'
import type { Clock } from '../../lib/clock.ts'
import { byClock } from '../../model/dongle-clock.ts'
import { badRequest } from '../../model/errors.ts'
import { putGreater } from '../../model/merge-samples.ts'
import { type DeviceId, type EventValue, type Sample, sampleOf } from '../../model/sample.ts'
import {
  type BodyReader,
  type BodyReading,
  type LeftOutCounts,
  NOTHING_PAUSE_MS,
  type ObserveLeftOut,
  type PackedSamples,
  packSamples,
  unpackSamples,
} from './bodies.ts'

/** Where reports of trackers and phones go. */
export interface ReportTakers {
  readonly intake: Intake
  readonly bodies: BodyReader
  readonly clock: Clock
}

interface SentReports<Terms> {
  readonly reading: BodyReading<Terms, ReceivedReports, PackedReports>
  readonly bytes: Buffer
  readonly terms: Terms
  readonly accountId: number
  /** As the log names it. */
  readonly sender: string
  /** When they were received. */
  readonly nowMs: number
  /** The error for a device that may not report, from how an error names its first report. */
  readonly refusalOf: (where: string) => string
}

/** Reads and stores reports. @returns after the commit, how many events were new
 * @throws ClientError as the reading does; 400 for a device of another account; the errors of the intake */
export async function takeReports<Terms>(
  { intake, bodies }: ReportTakers,
  { reading, bytes, terms, accountId, sender, nowMs, refusalOf }: SentReports<Terms>,
): Promise<{ readonly accepted: number; readonly duplicates: number }> {
  // A thread may take the bytes away.
  const byteCount = bytes.length
  const { samples, whereOf } = await bodies.read(reading, bytes, terms, accountId)
  if (samples.length === 0) {
    if (byteCount >= LARGE_REPORTS_BYTES) await sleep(NOTHING_PAUSE_MS)
    return { accepted: 0, duplicates: 0 }
  }
  const outcome = await intake.submit({ ...byClock(samples, nowMs), accountId, sender })
  if (outcome.kind === 'refused') {
    const [, where = ''] = [...whereOf].find(([deviceId]) => outcome.deviceIds.has(deviceId)) ?? []
    throw badRequest(refusalOf(where))
  }
  return { accepted: outcome.accepted, duplicates: outcome.duplicates }
}

/** One report of a tracker or phone. */
export interface Report {
  readonly deviceId: DeviceId
  readonly timeMs: number
  readonly events: ReadonlyMap<EventTypeId, EventValue>
  /** Names of values without an event type, and of those that were not available. */
  readonly leftOut: readonly string[]
}

/** The content of a body of trackers or phones. */
export interface ReceivedReports {
  /** Each key once, empty ones left out. */
  readonly samples: readonly Sample[]
  /** How an error names the first report of each device. */
  readonly whereOf: ReadonlyMap<DeviceId, string>
  readonly leftOut: LeftOutCounts
}

interface PackedReports extends Omit<ReceivedReports, 'samples'> {
  readonly samples: PackedSamples
}

/** From this size on a thread reads bodies of trackers and phones: reading takes up to 3 ms until there. Most have a kilobyte. */
export const LARGE_REPORTS_BYTES = 16 * 1024

/** @param nameOf how an error names the report with this index */
export function receivedReports(reports: readonly Report[], nameOf: (index: number) => string): ReceivedReports {
  const whereOf = new Map<DeviceId, string>()
  for (const [index, { deviceId }] of reports.entries())
    if (!whereOf.has(deviceId)) whereOf.set(deviceId, nameOf(index))
  return { samples: gatherSamples(reports), whereOf, leftOut: countLeftOut(namesOf(reports)) }
}

/** Does not build one list: a sender may make up tens of thousands of names. */
function* namesOf(reports: readonly Report[]): Generator<string> {
  for (const { leftOut } of reports) yield* leftOut
}

export function readingOfReports<Terms>(
  name: 'traccar' | 'osmand',
  read: (bytes: Uint8Array, terms: Terms) => ReceivedReports,
): BodyReading<Terms, ReceivedReports, PackedReports> {
  return {
    name,
    largeBytes: LARGE_REPORTS_BYTES,
    read,
    pack: received => ({ ...received, samples: packSamples(received.samples) }),
    unpack: async packed => ({ ...packed, samples: await unpackSamples(packed.samples) }),
  }
}

/** @returns a function that gateways call with the values that they left out. */
export function observeLeftOutValues(registry: Registry): ObserveLeftOut {
  const leftOut = new Counter({
    name: 'tacho_left_out_values_total',
    help: 'Values received that no event type holds or that are not available, by gateway and by their name in its protocol.',
    labelNames: ['gateway', 'name'] as const,
    registers: [registry],
  })
  const known = new Set<string>([OTHER])
  return (gateway, counts) => {
    let others = 0
    for (const [name, count] of counts) {
      if (known.size <= MOST_NAMES) known.add(name)
      if (known.has(name)) leftOut.inc({ gateway, name }, count)
      else others += count
    }
    if (others > 0) leftOut.inc({ gateway, name: OTHER }, others)
  }
}

/** Names come from senders; at most this many are counted separately. */
const MOST_NAMES = 500
/** The name under which all others are counted. */
const OTHER = 'other'
const NAME = /^[\w.:-]{1,60}$/

/** Counts names in a short list, however many a sender makes up. */
function countLeftOut(names: Iterable<string>): LeftOutCounts {
  const counts = new Map<string, number>()
  for (const name of names) {
    const isCounted = counts.has(name) || (counts.size < MOST_NAMES && NAME.test(name))
    const counted = isCounted ? name : OTHER
    counts.set(counted, (counts.get(counted) ?? 0) + 1)
  }
  return counts
}

/** The samples of a request, each key once, as a submission requires; empty ones are left out. */
function gatherSamples(reports: readonly Report[]): Sample[] {
  const byKey = new Map<string, { deviceId: DeviceId; timeMs: number; events: Map<EventTypeId, EventValue> }>()
  for (const { deviceId, timeMs, events } of reports) {
    if (events.size === 0) continue
    const key = `${deviceId} ${timeMs}`
    const known = byKey.get(key)
    if (!known) byKey.set(key, { deviceId, timeMs, events: new Map(events) })
    else for (const [type, value] of events) putGreater(known.events, type, value)
  }
  return [...byKey.values()].map(({ deviceId, timeMs, events }) => sampleOf(deviceId, timeMs, events))
}
