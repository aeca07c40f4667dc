import { Alert, Stack } from '@mantine/core'
import { IconAlertTriangle, IconCheck } from '@tabler/icons-react'
import type { Operation, ServicePart } from '../api/schema.ts'
import {
  formatBytes,
  formatDateTime,
  formatDuration,
  formatNumber,
  formatQuantity,
  type Texts,
  useTexts,
} from '../language/language.ts'

type State = Pick<Operation, 'parts' | 'machine'>

/** What is wrong, and what to do about it; that nothing is, otherwise. */
export function WarningList({ state }: { readonly state: State }) {
  const texts = useTexts('operation')
  const warnings = [...warningsOf(state, texts)]
  if (warnings.length === 0)
    return <Alert color="teal" role="status" icon={<IconCheck aria-hidden />} title={texts.allWell} />
  return (
    <Stack gap="xs">
      {warnings.map(({ title, text, isBad }) => (
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
      ))}
    </Stack>
  )
}

/** Something that an operator has to do something about. */
interface Warning {
  readonly title: string
  readonly text: string
  /** Worth waking somebody. */
  readonly isBad?: boolean
}

const DISK_IS_FULL = 'The disk of the database is full: nothing was stored.'

/* The thresholds of the alert rules (deploy/prometheus), but for how long they must last. */
const FEW_DAYS = 14
const LITTLE_FREE = 0.05
const OLD_BACKUP_S = 36 * 3600
const LONG_LOG_LAG_S = 900
const LONG_UNDERIVED_S = 300
const MOST_CLOCK_DIFFERENCE_S = 30

/** What is wrong, the worst first. */
export function* warningsOf({ parts, machine }: State, texts: Texts<'operation'>): Generator<Warning> {
  for (const part of parts) if (part.status !== 'ready') yield warningOfPart(part, texts)
  if (!machine) return
  const { disk, backup, underivedSeconds, clockDifferenceSeconds, failingJobs } = machine
  if (disk && (disk.freeBytes < disk.sizeBytes * LITTLE_FREE || (disk.daysLeft ?? FEW_DAYS) < FEW_DAYS)) {
    const days = disk.daysLeft === null ? undefined : formatNumber(disk.daysLeft, 0)
    yield { title: texts.diskTitle, text: texts.diskFull(formatBytes(disk.freeBytes), days) }
  }
  // The operator of a database elsewhere makes its backups.
  if (disk && !backup) yield { title: texts.backupsOff, text: texts.backupsOffHint }
  if (backup?.ageSeconds === null) yield { title: texts.noBackup, text: texts.noBackupHint }
  if (backup?.ageSeconds && backup.ageSeconds > OLD_BACKUP_S)
    yield { title: texts.oldBackup(formatDuration(backup.ageSeconds)), text: texts.oldBackupHint }
  if (backup?.logLagSeconds && backup.logLagSeconds > LONG_LOG_LAG_S)
    yield { title: texts.logBehind(formatDuration(backup.logLagSeconds)), text: texts.logBehindHint, isBad: true }
  if (underivedSeconds !== null && underivedSeconds > LONG_UNDERIVED_S)
    yield { title: texts.underivedTitle(formatDuration(underivedSeconds)), text: texts.underivedHint }
  if (clockDifferenceSeconds !== null && Math.abs(clockDifferenceSeconds) > MOST_CLOCK_DIFFERENCE_S) {
    const difference = formatQuantity(Math.abs(clockDifferenceSeconds), 's', 0)
    yield { title: texts.clockTitle(difference), text: texts.clockHint, isBad: true }
  }
  for (const { name, sinceTimestamp } of failingJobs)
    yield { title: texts.jobTitle(name), text: texts.jobHint(formatDateTime(Date.parse(sinceTimestamp))) }
}

function warningOfPart({ name, reason, sinceTimestamp }: ServicePart, texts: Texts<'operation'>): Warning {
  const why = reason === null ? '' : (texts.sentences[reason] ?? reason)
  if (name !== 'storing') return { title: texts.notReady(texts.part[name] ?? name), text: why, isBad: true }
  const since = sinceTimestamp === null ? undefined : formatDateTime(Date.parse(sinceTimestamp))
  const whatThen = reason === DISK_IS_FULL ? texts.goesOn : texts.sendsAgain
  return { title: texts.nothingStored(since), text: `${why} ${whatThen}`, isBad: true }
}
