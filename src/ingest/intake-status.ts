import type { FailingJob } from '../jobs/background-jobs.ts'
import type { StoringFault } from './storing-state.ts'

/** What an intake process knows of itself alone: it tells it to the api process at `/status`. */
export interface IntakeStatus {
  /** Samples received and not yet committed, by account; 0 stands for senders whose account is not known. */
  readonly pending: readonly { readonly accountId: number; readonly samples: number }[]
  /** Why nothing can be stored at the moment; null when it can. */
  readonly storingFault: StoringFault | null
  readonly failingJobs: readonly FailingJob[]
}
