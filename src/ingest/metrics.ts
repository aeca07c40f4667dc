import { Counter, Gauge, Histogram, type Registry } from 'prom-client'
import type { RefoldObserver } from '../derive/histories.ts'
import { addGauge } from '../lib/gauge.ts'
import type { Intake, ObservedBatch } from './intake.ts'
import { FAILURE_REASONS, type FailureReason } from './storing-state.ts'

const SECONDS = [0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 5]

/** Metrics of the intake. @returns a function to call after each batch. */
export function observeIntake(registry: Registry, intake: () => Intake | undefined): (batch: ObservedBatch) => void {
  const registers = [registry]
  const events = new Counter({
    name: 'tacho_ingest_events_total',
    help: 'Events received and committed, by what became of them.',
    labelNames: ['outcome'] as const,
    registers,
  })
  const refused = new Counter({
    name: 'tacho_ingest_refused_submissions_total',
    help: 'Submissions refused because of devices that do not belong to their sender.',
    registers,
  })
  const misdated = new Counter({
    name: 'tacho_misdated_samples_total',
    help: 'Samples of dongles whose clock was wrong, kept apart.',
    registers,
  })
  const batchSamples = new Histogram({
    name: 'tacho_ingest_batch_samples',
    help: 'Samples in one transaction.',
    buckets: [1, 10, 50, 100, 500, 1000, 2000, 5000, 10_000, 20_000, 50_000],
    registers,
  })
  const commitSeconds = new Histogram({
    name: 'tacho_ingest_commit_seconds',
    help: 'Seconds from the start of a batch to its commit.',
    buckets: [0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 5],
    registers,
  })
  const lagSeconds = new Gauge({
    name: 'tacho_ingest_lag_seconds',
    help: 'Age of the newest sample of the last batch when it was committed.',
    registers,
  })
  addGauge(
    registry,
    'tacho_ingest_pending_samples',
    'Samples received and not yet committed.',
    () => intake()?.pendingSamples ?? 0,
  )
  addGauge(
    registry,
    'tacho_ingest_waiting_samples',
    'Samples committed in a burst from which nothing is derived yet.',
    () => intake()?.engine.waiting.samples ?? 0,
  )
  addGauge(
    registry,
    'tacho_ingest_waiting_seconds',
    'How long the first of them has been waiting.',
    () => intake()?.engine.waiting.seconds ?? 0,
  )
  return ({ submissions, outcomes, seconds }) => {
    let samples = 0
    let newestMs = Number.NEGATIVE_INFINITY
    for (const submission of submissions)
      for (const { timeMs } of submission.samples) {
        samples++
        newestMs = Math.max(newestMs, timeMs)
      }
    const counts = { accepted: 0, duplicates: 0, conflicts: 0, refused: 0, misdated: 0 }
    outcomes.forEach((outcome, index) => {
      if (outcome.kind === 'refused') {
        counts.refused++
        return
      }
      counts.misdated += submissions[index]?.misdated?.length ?? 0
      counts.accepted += outcome.accepted
      counts.duplicates += outcome.duplicates
      counts.conflicts += outcome.conflicts
    })
    refused.inc(counts.refused)
    misdated.inc(counts.misdated)
    events.inc({ outcome: 'accepted' }, counts.accepted)
    events.inc({ outcome: 'duplicate' }, counts.duplicates)
    events.inc({ outcome: 'conflict' }, counts.conflicts)
    batchSamples.observe(samples)
    commitSeconds.observe(seconds)
    if (samples > 0) lagSeconds.set((Date.now() - newestMs) / 1000)
  }
}

/** Accounts that the metrics name: those from which most waits. */
const MOST_ACCOUNTS = 5

/** The samples that wait by account: those of a few accounts, and of all others together. */
export function largestAccounts(ofAccounts: ReadonlyMap<number, number>): ReadonlyMap<string, number> {
  const sorted = [...ofAccounts].sort(([, one], [, other]) => other - one)
  const named = new Map(sorted.slice(0, MOST_ACCOUNTS).map(([account, samples]) => [String(account), samples]))
  const others = sorted.slice(MOST_ACCOUNTS).reduce((sum, [, samples]) => sum + samples, 0)
  return named.set('other', others)
}

/** Metrics of waiting samples by account, and of failed submissions. @returns a function to call for each such submission */
export function observeSenders(
  registry: Registry,
  intake: () => Pick<Intake, 'pendingOfAccounts'> | undefined,
): (reason: FailureReason) => void {
  registry.registerMetric(
    new Gauge({
      name: 'tacho_ingest_account_pending_samples',
      help: 'Samples received and not yet committed, of the accounts with most of them and of all others; 0 is who is not known.',
      labelNames: ['account'] as const,
      registers: [],
      collect() {
        this.reset()
        for (const [account, samples] of largestAccounts(intake()?.pendingOfAccounts ?? new Map()))
          this.set({ account }, samples)
      },
    }),
  )
  const failed = new Counter({
    name: 'tacho_ingest_failed_submissions_total',
    help: 'Submissions that could not be stored at the time, by the reason; their senders may send them again.',
    labelNames: ['reason'] as const,
    registers: [registry],
  })
  for (const reason of FAILURE_REASONS) failed.inc({ reason }, 0)
  return reason => failed.inc({ reason })
}

/** Failures of background jobs. @returns a function to call for each */
export function observeJobs(registry: Registry): (job: string) => void {
  const failures = new Counter({
    name: 'tacho_job_failures_total',
    help: 'Runs of background jobs that failed; they are tried again.',
    labelNames: ['job'] as const,
    registers: [registry],
  })
  return job => failures.inc({ job })
}

/** Metrics of folding out-of-order samples. @returns a function to call after each device. */
export function observeReconciling(registry: Registry): (seconds: number) => void {
  const settledSeconds = new Histogram({
    name: 'tacho_late_settled_seconds',
    help: 'Seconds it took to fold the out-of-order samples of a device again.',
    buckets: SECONDS,
    registers: [registry],
  })
  return seconds => settledSeconds.observe(seconds)
}

/** Metrics of sealing. @returns a function to call after each day of a device */
export function observeSealing(
  registry: Registry,
): (day: { readonly samples: number; readonly bytes: number; readonly seconds: number }) => void {
  const registers = [registry]
  const samples = new Counter({
    name: 'tacho_sealed_samples_total',
    help: 'Samples of days that this process sealed; those of a day that is sealed again count again.',
    registers,
  })
  const bytes = new Counter({
    name: 'tacho_sealed_bytes_total',
    help: 'Bytes that these days take, without indexes.',
    registers,
  })
  const seconds = new Histogram({
    name: 'tacho_sealed_day_seconds',
    help: 'Seconds it took to seal a day of a device.',
    buckets: SECONDS,
    registers,
  })
  return day => {
    samples.inc(day.samples)
    bytes.inc(day.bytes)
    seconds.observe(day.seconds)
  }
}

/** Progress of refolding histories after an upgrade. Every node reports the same numbers for all devices. */
export function observeRefolding(registry: Registry): RefoldObserver {
  const registers = [registry]
  const waiting = new Gauge({
    name: 'tacho_refold_waiting_devices',
    help: 'Devices whose history is still to be folded by the rules of this version, of all nodes.',
    registers,
  })
  const failed = new Gauge({
    name: 'tacho_refold_failed_devices',
    help: 'Those of them that this process could not fold; it tries again.',
    registers,
  })
  const writtenSeconds = new Histogram({
    name: 'tacho_refold_written_seconds',
    help: 'Seconds it took to write a part of a history that was folded again; meanwhile the device is locked.',
    buckets: SECONDS,
    registers,
  })
  return {
    waiting(devices, failedDevices) {
      waiting.set(devices)
      failed.set(failedDevices)
    },
    written: seconds => writtenSeconds.observe(seconds),
  }
}
