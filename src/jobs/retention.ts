import type { Logger } from 'pino'
import { dropSecurityLinesBefore } from '../access/security-log.ts'
import { earlierClockMs } from '../db/clock.ts'
import type { Database } from '../db/database.ts'
import { dropUnusedLayouts } from '../db/layouts.ts'
import { dropRejectedFramesBefore } from '../db/rejected-frames.ts'
import { type Transaction, writeTransaction } from '../db/transaction.ts'
import { sweepTombstones } from '../fleet/erase-device.ts'
import type { Clock } from '../lib/clock.ts'
import { dropMisdatedBefore, type Partitions } from '../store/index.ts'
import type { BackgroundJobs } from './background-jobs.ts'

const INTERVAL_S = 3600
const DAY_MS = 24 * 3600 * 1000

interface RetentionOptions {
  readonly database: Database
  readonly partitions: Partitions
  /** `RETENTION_DAYS`; undefined: measurements are kept for good. */
  readonly retentionDays: number | undefined
  readonly securityLogDays: number
  /** `TOMBSTONE_DAYS` */
  readonly tombstoneDays: number
  readonly log: Logger
  readonly clock: Clock
}

/** Starts the hourly jobs that drop what was kept for as long as the settings say. */
export function startRetention(
  jobs: BackgroundJobs,
  { database, partitions, retentionDays, securityLogDays, tombstoneDays, log, clock }: RetentionOptions,
): void {
  jobs.everyNowAndThen(INTERVAL_S, 'retention of the security log', () => {
    const beforeMs = clock.wallMs() - securityLogDays * DAY_MS
    return untilNothingIsLeft(transaction => dropSecurityLinesBefore(transaction, beforeMs))
  })
  jobs.everyNowAndThen(INTERVAL_S, 'sweeping what deleted dongles left', () => {
    const beforeMs = clock.wallMs() - tombstoneDays * DAY_MS
    return untilNothingIsLeft(transaction => sweepTombstones(transaction, beforeMs))
  })
  if (retentionDays === undefined) return
  jobs.everyNowAndThen(INTERVAL_S, 'retention', async () => {
    const beforeMs = (await earlierClockMs(database, clock)) - retentionDays * DAY_MS
    const dropped = await partitions.dropBefore(beforeMs)
    const misdated = await writeTransaction(database, transaction => dropMisdatedBefore(transaction, beforeMs))
    const rejected = await writeTransaction(database, transaction => dropRejectedFramesBefore(transaction, beforeMs))
    const layouts = await dropUnusedLayouts(database)
    if (dropped.length > 0 || misdated > 0 || rejected > 0 || layouts > 0)
      log.info({ dropped, misdated, rejected, layouts }, 'dropped measurements beyond RETENTION_DAYS')
  })

  /** @param drop drops some, and returns how many */
  async function untilNothingIsLeft(drop: (transaction: Transaction) => Promise<number>): Promise<void> {
    while (!jobs.signal.aborted && (await writeTransaction(database, drop)) > 0);
  }
}
