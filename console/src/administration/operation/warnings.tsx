import { Alert, Stack } from '@mantine/core'
import { IconAlertTriangle, IconCheck } from '@tabler/icons-react'
import type { Operation, ServicePart } from '../../api/schema.ts'
import {
  formatBytes,
  formatDateTime,
  formatDuration,
  formatNumber,
  formatQuantity,
  type Texts,
  useTexts,
} from '../../language/language.ts'

/** What is wrong, and what to do about it; that nothing is, otherwise. */
export function WarningList({ state }: { readonly state: Pick<Operation, 'parts' | 'machine'> }) {
  const texts = useTexts('operation')
  const warnings = warningsOf(state)
  if (warnings.length === 0)
    return <Alert color="teal" role="status" icon={<IconCheck aria-hidden />} title={texts.allWell} />
  return (
    <Stack gap="xs">
      {warnings.map(warning => {
        const { title, text, isBad } = wordsOf(warning, texts)
        return (
          <Alert
            key={title}
            role="alert"
            color={isBad ? 'red' : 'orange'}
            // Orange on light orange cannot be read by everybody.
            styles={{ title: { color: 'var(--mantine-color-text)' } }}
            icon={<IconAlertTriangle aria-hidden />}
            title={title}
          >
            {text}
          </Alert>
        )
      })}
    </Stack>
  )
}

interface Words {
  readonly title: string
  readonly text: string
  /** Worth waking somebody. */
  readonly isBad?: boolean
}

function wordsOf(warning: Warning, texts: Texts<'operation'>): Words {
  switch (warning.kind) {
    case 'part':
      return wordsOfPart(warning.part, texts)
    case 'disk': {
      const days = warning.daysLeft === null ? undefined : formatNumber(warning.daysLeft, 0)
      return { title: texts.diskTitle, text: texts.diskFull(formatBytes(warning.freeBytes), days) }
    }
    case 'backups off':
      return { title: texts.backupsOff, text: texts.backupsOffHint }
    case 'no backup':
      return { title: texts.noBackup, text: texts.noBackupHint }
    case 'old backup':
      return { title: texts.oldBackup(formatDuration(warning.ageSeconds)), text: texts.oldBackupHint }
    case 'log not archived':
      return { title: texts.logBehind(formatDuration(warning.lagSeconds)), text: texts.logBehindHint, isBad: true }
    case 'underived':
      return { title: texts.underivedTitle(formatDuration(warning.seconds)), text: texts.underivedHint }
    case 'clock': {
      const seconds = formatQuantity(Math.abs(warning.seconds), 's', 0)
      return { title: texts.clockTitle(seconds), text: texts.clockHint, isBad: true }
    }
    case 'job':
      return {
        title: texts.jobTitle(warning.name),
        text: texts.jobHint(formatDateTime(Date.parse(warning.since))),
      }
  }
}

const DISK_IS_FULL = 'The disk of the database is full: nothing was stored.'

function wordsOfPart(
  { name, reason, sinceTimestamp }: Pick<ServicePart, 'name' | 'reason' | 'sinceTimestamp'>,
  texts: Texts<'operation'>,
): Words {
  const why = reason === null ? '' : (texts.sentences[reason] ?? reason)
  if (name !== 'storing') return { title: texts.notReady(texts.part[name] ?? name), text: why, isBad: true }
  const since = sinceTimestamp === null ? undefined : formatDateTime(Date.parse(sinceTimestamp))
  const whatThen = reason === DISK_IS_FULL ? texts.goesOn : texts.sendsAgain
  return { title: texts.nothingStored(since), text: `${why} ${whatThen}`, isBad: true }
}

/** Something that an operator has to do something about. */
type Warning =
  | { readonly kind: 'part'; readonly part: Pick<ServicePart, 'name' | 'reason' | 'sinceTimestamp'> }
  | { readonly kind: 'disk'; readonly freeBytes: number; readonly daysLeft: number | null }
  | { readonly kind: 'backups off' | 'no backup' }
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
  // The operator of a database elsewhere makes its backups.
  if (disk && !backup) yield { kind: 'backups off' }
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
