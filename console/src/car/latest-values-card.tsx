import { Anchor, Box, Table, Text, Title } from '@mantine/core'
import { IconChartLine, IconDatabaseOff } from '@tabler/icons-react'
import type { LastEvent } from '../api/types.ts'
import { formatAge, useTexts } from '../language/language.ts'
import { eventTypeName, grouped, valueText } from '../measurements/measurement.ts'
import { EmptyState, Hint, Part } from '../page/page.tsx'
import { useMay } from '../session/use-session.ts'
import { isDrawable, type LatestValue, latestValues } from './car-facts.ts'

const COLUMN_PX = 360

interface LatestValuesCardProps {
  readonly lastEvents: readonly LastEvent[]
  readonly nowMs: number
  /** What the chart shows. */
  readonly charted: readonly string[]
  /** Adds a value to the chart or removes it again; false without permission for events. */
  readonly onChart: ((eventType: string) => void) | false
}

/** The newest value of everything that the car ever measured, by groups. */
export function LatestValuesCard({ lastEvents, nowMs, charted, onChart }: LatestValuesCardProps) {
  const texts = useTexts('car')
  const groups = useTexts('measurementGroups')
  const mayReadCodes = useMay('dtcs')
  const parts = grouped(latestValues(lastEvents, mayReadCodes))
  return (
    <Part title={texts.latest} aside={onChart && parts.length > 0 && <Hint>{texts.latestHint}</Hint>}>
      {parts.length === 0 && <EmptyState icon={IconDatabaseOff} title={texts.nothing} hint={texts.nothingHint} />}
      <Box style={{ columns: `${COLUMN_PX}px`, columnGap: 32 }}>
        {parts.map(({ group, items }) => (
          <Box key={group} mb="md" style={{ breakInside: 'avoid' }}>
            <Title order={3} fz="sm" c="dimmed" mb={4}>
              {groups[group]}
            </Title>
            <Table highlightOnHover verticalSpacing={4} horizontalSpacing={6} aria-label={groups[group]}>
              <Table.Tbody>
                {items.map(value => (
                  <ValueRow
                    key={value.eventType}
                    value={value}
                    nowMs={nowMs}
                    isCharted={charted.includes(value.eventType)}
                    onChart={onChart}
                  />
                ))}
              </Table.Tbody>
            </Table>
          </Box>
        ))}
      </Box>
    </Part>
  )
}

interface ValueRowProps extends Pick<LatestValuesCardProps, 'nowMs' | 'onChart'> {
  readonly value: LatestValue
  readonly isCharted: boolean
}

function ValueRow({ value, nowMs, isCharted, onChart }: ValueRowProps) {
  const texts = useTexts('car')
  const name = eventTypeName(value.eventType)
  const text = valueText(value)
  const color = value.isStale ? 'dimmed' : undefined
  return (
    <Table.Tr>
      <Table.Th scope="row" fw="normal" c={color}>
        {name}
      </Table.Th>
      <Table.Td
        ta="right"
        style={{
          overflowWrap: value.dataType === 'STRING' ? 'anywhere' : undefined,
          whiteSpace: isDrawable(value) ? 'nowrap' : undefined,
        }}
      >
        {onChart && isDrawable(value) ? (
          <Anchor
            component="button"
            type="button"
            fz="sm"
            fw={600}
            ta="right"
            c={value.isStale ? 'dimmed' : isCharted ? undefined : 'var(--mantine-color-text)'}
            aria-pressed={isCharted}
            aria-label={`${text}. ${texts.showInChart(name)}`}
            onClick={() => onChart(value.eventType)}
          >
            {isCharted && <IconChartLine size={14} aria-hidden style={{ verticalAlign: -2, marginRight: 4 }} />}
            {text}
          </Anchor>
        ) : (
          <Text fz="sm" fw={600} c={color}>
            {text}
          </Text>
        )}
      </Table.Td>
      <Table.Td ta="right" w={{ base: 80, sm: 96 }}>
        <Hint fz="xs" style={{ whiteSpace: 'nowrap' }} title={value.isStale ? texts.stale : undefined}>
          {formatAge(value.measuredMs, nowMs)}
        </Hint>
      </Table.Td>
    </Table.Tr>
  )
}
