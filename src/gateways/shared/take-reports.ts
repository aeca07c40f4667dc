import { setTimeout as sleep } from 'node:timers/promises'
import type { Intake } from '../../ingest/intake.ts'
import type { Clock } from '../../lib/clock.ts'
import { byClock } from '../../model/dongle-clock.ts'
import { badRequest } from '../../model/errors.ts'
import type { BodyReader } from './bodies/body-reader.ts'
import { NOTHING_PAUSE_MS } from './bodies/nothing-to-store.ts'
import type { BodyReading } from './bodies/reading.ts'
import type { ObserveLeftOut } from './left-out-values.ts'
import { LARGE_REPORTS_BYTES, type PackedReports, type ReceivedReports } from './received-reports.ts'

/** Where reports of trackers and phones go. */
export interface ReportTakers {
  readonly intake: Intake
  readonly bodies: BodyReader
  readonly observeLeftOut: ObserveLeftOut
  readonly clock: Clock
}

interface SentReports<Terms> {
  /** As the metrics name it. */
  readonly gateway: string
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

/**
 * Reads and stores reports.
 * @returns after the commit, how many events were new
 * @throws ClientError as the reading does; 400 for a device of another account; what the intake throws.
 */
export async function takeReports<Terms>(
  { intake, bodies, observeLeftOut }: ReportTakers,
  { gateway, reading, bytes, terms, accountId, sender, nowMs, refusalOf }: SentReports<Terms>,
): Promise<{ readonly accepted: number; readonly duplicates: number }> {
  // A thread may take the bytes away.
  const byteCount = bytes.length
  const { samples, whereOf, leftOut } = await bodies.read(reading, bytes, terms, accountId)
  if (samples.length === 0) {
    if (byteCount >= LARGE_REPORTS_BYTES) await sleep(NOTHING_PAUSE_MS)
    observeLeftOut(gateway, leftOut)
    return { accepted: 0, duplicates: 0 }
  }
  const outcome = await intake.submit({ ...byClock(samples, nowMs), accountId, sender })
  if (outcome.kind === 'refused') {
    const [, where = ''] = [...whereOf].find(([deviceId]) => outcome.deviceIds.has(deviceId)) ?? []
    throw badRequest(refusalOf(where))
  }
  observeLeftOut(gateway, leftOut)
  return { accepted: outcome.accepted, duplicates: outcome.duplicates }
}
