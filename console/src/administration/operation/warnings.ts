import type { Operation, ServicePart } from '../../api/schema.ts'

/** Something that an operator has to do something about. */
export type Warning =
  | { readonly kind: 'part'; readonly part: Pick<ServicePart, 'name' | 'reason' | 'sinceTimestamp'> }
  | { readonly kind: 'disk'; readonly freeBytes: number; readonly daysLeft: number | null }
  | { readonly kind: 'no backup' }
  | { readonly kind: 'old backup'; readonly ageSeconds: number }
  | { readonly kind: 'log not archived'; readonly lagSeconds: number }
  | { readonly kind: 'underived'; readonly seconds: number }
  | { readonly kind: 'clock'; readonly seconds: number }
  | { readonly kind: 'job'; readonly name: string; readonly since: string }

/* The thresholds of the alert rules (deploy/prometheus), but for how long they must last. */
const FEW_DAYS = 14
const LITTLE_FREE = 0.05
const OLD_BACKUP_S = 36 * 3600
const LONG_LOG_LAG_S = 900
const LONG_UNDERIVED_S = 300
const MOST_CLOCK_DIFFERENCE_S = 30

/** What is wrong, the worst first. */
export function warningsOf({ parts, machine }: Pick<Operation, 'parts' | 'machine'>): readonly Warning[] {
  const ofParts = parts.filter(({ status }) => status !== 'ready').map((part): Warning => ({ kind: 'part', part }))
  return machine ? [...ofParts, ...warningsOfMachine(machine)] : ofParts
}

function* warningsOfMachine(machine: NonNullable<Operation['machine']>): Generator<Warning> {
  const { disk, backup, underivedSeconds, clockDifferenceSeconds, failingJobs } = machine
  if (disk && (disk.freeBytes < disk.sizeBytes * LITTLE_FREE || (disk.daysLeft ?? FEW_DAYS) < FEW_DAYS))
    yield { kind: 'disk', freeBytes: disk.freeBytes, daysLeft: disk.daysLeft }
  if (backup?.ageSeconds === null) yield { kind: 'no backup' }
  if (backup?.ageSeconds && backup.ageSeconds > OLD_BACKUP_S)
    yield { kind: 'old backup', ageSeconds: backup.ageSeconds }
  if (backup?.logLagSeconds && backup.logLagSeconds > LONG_LOG_LAG_S)
    yield { kind: 'log not archived', lagSeconds: backup.logLagSeconds }
  if (underivedSeconds !== null && underivedSeconds > LONG_UNDERIVED_S)
    yield { kind: 'underived', seconds: underivedSeconds }
  if (clockDifferenceSeconds !== null && Math.abs(clockDifferenceSeconds) > MOST_CLOCK_DIFFERENCE_S)
    yield { kind: 'clock', seconds: clockDifferenceSeconds }
  for (const { name, sinceTimestamp } of failingJobs) yield { kind: 'job', name, since: sinceTimestamp }
}
