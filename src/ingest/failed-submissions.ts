import { clientErrorOf, isDiskFull } from '../db/faults.ts'

/** Why a submission was not stored though its sender may send it. */
export const FAILURE_REASONS = [
  'quota',
  /** More of its account waits than there is room for. */
  'too much waits',
  'stopping',
  'disk full',
  /** It is gone, restarts or has no resources left. */
  'database',
  /** An error of ours. */
  'fault',
] as const
export type FailureReason = (typeof FAILURE_REASONS)[number]

/** What an error of storing counts as. */
export function failureReasonOf(error: unknown): FailureReason {
  if (isDiskFull(error)) return 'disk full'
  return clientErrorOf(error) ? 'database' : 'fault'
}
