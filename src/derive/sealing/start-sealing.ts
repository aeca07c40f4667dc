import type { Database } from '../../db/database.ts'
import type { BackgroundJobs } from '../background-jobs.ts'
import { Failing } from '../failing.ts'
import { type SealingOptions, sealHistory } from './seal-history.ts'

const INTERVAL_S = 600

interface SealingJobOptions extends Pick<SealingOptions, 'partitions' | 'pace' | 'log' | 'clock'> {
  readonly database: Database
  /** `SEALED_AFTER_DAYS`; undefined: nothing is sealed. */
  readonly sealedAfterDays: number | undefined
  readonly observeSealing: SealingOptions['observe']
}

/** Starts the job that seals old days. */
export function startSealing(
  jobs: BackgroundJobs,
  { database, sealedAfterDays, observeSealing, ...options }: SealingJobOptions,
): void {
  if (sealedAfterDays === undefined) return
  const sealing = {
    ...options,
    afterDays: sealedAfterDays,
    signal: jobs.signal,
    failing: new Failing(options.clock),
    observe: observeSealing,
  }
  jobs.every(INTERVAL_S, 'sealing old days', async () => {
    const days = await sealHistory(database, sealing)
    if (days > 0) options.log.info({ days }, 'sealed old days')
  })
}
