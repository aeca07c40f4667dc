import { Badge, Group, Text } from '@mantine/core'
import { IconEngine } from '@tabler/icons-react'
import { formatAge, formatDateTime } from '../language/format.ts'
import { useLanguage, useTexts } from '../language/language.ts'
import { useMay } from '../session/use-session.ts'
import { PageLink } from '../shell/page-link.tsx'
import { codeSystemOf } from './code-system.ts'
import type { Fault } from './fault.ts'

/** The car of a fault, as a link for those who may see it. */
export function CarName({ vehicleId, name, isLampOn }: { vehicleId: string; name: string; isLampOn: boolean }) {
  const texts = useTexts('faults')
  const mayReadVehicles = useMay('vehicles')
  return (
    <Group gap={6} wrap="nowrap">
      {mayReadVehicles ? (
        <PageLink to="/cars/$vehicleId" params={{ vehicleId }} fz="sm">
          {name}
        </PageLink>
      ) : (
        name
      )}
      {isLampOn && (
        <Text span c="orange" display="inline-flex" title={texts.lampOn}>
          <IconEngine size={18} stroke={1.8} role="img" aria-label={texts.lampOn} />
        </Text>
      )}
    </Group>
  )
}

const KIND_COLORS: Readonly<Record<Fault['kind'], string>> = {
  PERMANENT: 'orange',
  SPORADIC: 'yellow',
  FREEZEFRAME: 'gray',
}

export function KindBadge({ kind }: Pick<Fault, 'kind'>) {
  const texts = useTexts('faults')
  const color = KIND_COLORS[kind]
  return (
    <Badge
      color={color}
      variant="light"
      c="var(--mantine-color-text)"
      miw="max-content"
      tt="none"
      title={texts.kindMeanings[kind]}
    >
      {texts.kinds[kind]}
    </Badge>
  )
}

export function CodeText({ code }: Pick<Fault, 'code'>) {
  return (
    <Text span fz="sm" fw={600} ff="monospace">
      {code}
    </Text>
  )
}

/** The part of the car and who says what the code means. */
export function CodeArea({ code }: Pick<Fault, 'code'>) {
  const texts = useTexts('faults')
  const known = codeSystemOf(code)
  if (!known) return null
  const { system, isGeneric } = known
  return (
    <Text span fz="sm" title={isGeneric ? texts.genericMeaning : texts.manufacturerMeaning}>
      {texts.systems[system]}
      <Text span fz="sm" c="dimmed">
        {` · ${isGeneric ? texts.generic : texts.manufacturer}`}
      </Text>
    </Text>
  )
}

/** The text of a code in two lines, which is what a row has room for; what does not fit can be pointed at. */
export function Meaning({ text }: Pick<Fault, 'text'>) {
  const texts = useTexts('faults')
  return (
    <Text
      span
      fz="sm"
      lh={1.2}
      my={-4}
      lineClamp={2}
      style={{ whiteSpace: 'normal' }}
      title={text}
      c={text === '' ? 'dimmed' : undefined}
    >
      {text || texts.unknown}
    </Text>
  )
}

export function Age({ timeMs, nowMs }: { timeMs: number; nowMs: number }) {
  const language = useLanguage()
  return (
    <time dateTime={new Date(timeMs).toISOString()} title={formatDateTime(timeMs, language)}>
      {formatAge(timeMs, nowMs, language)}
    </time>
  )
}
