import { Alert, Stack } from '@mantine/core'
import { IconAlertTriangle, IconCheck } from '@tabler/icons-react'
import type { Operation, ServicePart } from '../../api/schema.ts'
import { formatBytes, formatDateTime, formatDuration, formatNumber, formatQuantity } from '../../language/format.ts'
import { type Language, type Texts, useLanguage, useTexts } from '../../language/language.ts'
import { type Warning, warningsOf } from './warnings.ts'

/** What is wrong, and what to do about it; that nothing is, otherwise. */
export function WarningList({ state }: { readonly state: Pick<Operation, 'parts' | 'machine'> }) {
  const texts = useTexts('operation')
  const language = useLanguage()
  const warnings = warningsOf(state)
  if (warnings.length === 0)
    return <Alert color="teal" role="status" icon={<IconCheck aria-hidden />} title={texts.allWell} />
  return (
    <Stack gap="xs">
      {warnings.map(warning => {
        const { title, text, isBad } = wordsOf(warning, texts, language)
        return (
          <Alert
            key={title}
            role="alert"
            color={isBad ? 'red' : 'orange'}
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

function wordsOf(warning: Warning, texts: Texts<'operation'>, language: Language): Words {
  switch (warning.kind) {
    case 'part':
      return wordsOfPart(warning.part, texts, language)
    case 'disk': {
      const days = warning.daysLeft === null ? undefined : formatNumber(warning.daysLeft, language, 0)
      return { title: texts.diskTitle, text: texts.diskFull(formatBytes(warning.freeBytes, language), days) }
    }
    case 'no backup':
      return { title: texts.noBackup, text: texts.noBackupHint }
    case 'old backup':
      return { title: texts.oldBackup(formatDuration(warning.ageSeconds)), text: texts.oldBackupHint }
    case 'log not archived':
      return { title: texts.logBehind(formatDuration(warning.lagSeconds)), text: texts.logBehindHint, isBad: true }
    case 'underived':
      return { title: texts.underivedTitle(formatDuration(warning.seconds)), text: texts.underivedHint }
    case 'clock': {
      const seconds = formatQuantity(Math.abs(warning.seconds), 's', language, 0)
      return { title: texts.clockTitle(seconds), text: texts.clockHint, isBad: true }
    }
    case 'job':
      return {
        title: texts.jobTitle(warning.name),
        text: texts.jobHint(formatDateTime(Date.parse(warning.since), language)),
      }
  }
}

const DISK_IS_FULL = 'The disk of the database is full: nothing was stored.'

function wordsOfPart(
  { name, reason, sinceTimestamp }: Pick<ServicePart, 'name' | 'reason' | 'sinceTimestamp'>,
  texts: Texts<'operation'>,
  language: Language,
): Words {
  const why = reason === null ? '' : (texts.sentences[reason] ?? reason)
  if (name !== 'storing') return { title: texts.notReady(texts.part[name] ?? name), text: why, isBad: true }
  const since = sinceTimestamp === null ? undefined : formatDateTime(Date.parse(sinceTimestamp), language)
  const whatThen = reason === DISK_IS_FULL ? texts.goesOn : texts.sendsAgain
  return { title: texts.nothingStored(since), text: `${why} ${whatThen}`, isBad: true }
}
