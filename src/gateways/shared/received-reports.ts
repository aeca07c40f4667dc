import type { DeviceId, Sample } from '../../model/sample.ts'
import { type PackedSamples, packSamples, unpackSamples } from './bodies/packed-samples.ts'
import type { BodyReading } from './bodies/reading.ts'
import { gatherSamples, type Measurement } from './gather-samples.ts'
import { countLeftOut, type LeftOutCounts } from './tracker-attributes/left-out.ts'

/** One report of a tracker or phone. */
export interface Report extends Measurement {
  /** Names of values without an event type. */
  readonly leftOut: readonly string[]
}

/** What a body of trackers or phones holds. */
export interface ReceivedReports {
  /** Each key once, empty ones left out. */
  readonly samples: readonly Sample[]
  /** How an error names the first report of each device. */
  readonly whereOf: ReadonlyMap<DeviceId, string>
  readonly leftOut: LeftOutCounts
}

export interface PackedReports extends Omit<ReceivedReports, 'samples'> {
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

/** How bodies of reports are read. */
export function readingOfReports<Terms>(
  name: 'traccar' | 'phones',
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
