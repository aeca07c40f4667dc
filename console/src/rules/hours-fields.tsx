import { ActionIcon, Button, Chip, Group, Stack, Text, TextInput } from '@mantine/core'
import { IconPlus, IconTrash } from '@tabler/icons-react'
import { useTexts } from '../language/language.ts'
import { type HoursRow, isOverMidnight } from './hours-rows.ts'

/** Monday to Friday, by day: the usual hours of a company, to begin with. */
export const USUAL_HOURS: HoursRow = { days: [0, 1, 2, 3, 4], from: '06:00', to: '18:00' }

interface HoursFieldsProps {
  readonly rows: readonly HoursRow[]
  readonly timeZone: string
  readonly error: string | undefined
  readonly onChange: (rows: readonly HoursRow[]) => void
}

/** Hours of each week: days and two times a row. */
export function HoursFields({ rows, timeZone, error, onChange }: HoursFieldsProps) {
  const texts = useTexts('rules')
  const change = (at: number, changed: Partial<HoursRow>) =>
    onChange(rows.map((row, index) => (index === at ? { ...row, ...changed } : row)))
  return (
    <Stack gap="xs">
      {rows.map((row, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: rows have nothing else to tell them apart
        <Group key={at} gap="sm" align="end">
          <Chip.Group
            multiple
            value={row.days.map(String)}
            onChange={days => change(at, { days: days.map(Number).sort((a, b) => a - b) })}
          >
            <Group gap={4} role="group" aria-label={texts.daysOf}>
              {texts.days.map((name, day) => (
                <Chip key={name} value={String(day)} size="xs" variant="light">
                  {name}
                </Chip>
              ))}
            </Group>
          </Chip.Group>
          <TextInput
            type="time"
            label={texts.from}
            value={row.from}
            onChange={event => change(at, { from: event.currentTarget.value })}
          />
          <TextInput
            type="time"
            label={isOverMidnight(row) ? `${texts.to} (${texts.overMidnight})` : texts.to}
            value={row.to}
            onChange={event => change(at, { to: event.currentTarget.value })}
          />
          {rows.length > 1 && (
            <ActionIcon
              variant="default"
              size={36}
              aria-label={texts.removeHours}
              onClick={() => onChange(rows.filter((_row, index) => index !== at))}
            >
              <IconTrash size={16} aria-hidden />
            </ActionIcon>
          )}
        </Group>
      ))}
      {error && (
        <Text fz="sm" c="red" role="alert">
          {error}
        </Text>
      )}
      <Group gap="sm">
        <Button
          size="compact-sm"
          variant="light"
          leftSection={<IconPlus size={14} aria-hidden />}
          onClick={() => onChange([...rows, USUAL_HOURS])}
        >
          {texts.addHours}
        </Button>
        <Text fz="sm" c="dimmed">
          {texts.timeZone(timeZone)}
        </Text>
      </Group>
    </Stack>
  )
}
