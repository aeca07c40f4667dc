import { ActionIcon, Button, Checkbox, Chip, Group, MultiSelect, Select, Stack, Text, TextInput } from '@mantine/core'
import { IconPlus, IconTrash } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import type { EventType } from '../api/schema.ts'
import { useAreaNames } from '../areas/areas-query.ts'
import { eventTypesQuery } from '../car/history/history-queries.ts'
import { compareTexts, shownUnit, useTexts } from '../language/language.ts'
import { eventTypeName } from '../measurements/measurement.ts'
import { Hint } from '../page/page.tsx'
import { ClockField, DateField } from '../table/filters.tsx'
import { type HoursRow, isNumeric, isOverMidnight, type ParameterDraft, rangeOf } from './rule-draft.ts'
import type { RuleParameter } from './rules.tsx'

export const OFFERED = 100

interface ParameterFieldProps {
  readonly parameter: RuleParameter
  readonly value: ParameterDraft
  readonly error: ReactNode
  readonly onChange: (value: ParameterDraft) => void
}

/** A field for a parameter of a kind of rule, with unit, range and the reason for the default. */
export function ParameterField({ parameter, value, error, onChange }: ParameterFieldProps) {
  const texts = useTexts('rules')
  const { dataType, label, reason, unit, choices } = parameter
  const areas = useAreaNames()
  const { data: eventTypes = [] } = useQuery({ ...eventTypesQuery, enabled: dataType === 'eventType' })
  const field = { label, description: reason, error }
  const text = typeof value === 'string' ? value : ''
  switch (dataType) {
    case 'boolean':
      return <Checkbox {...field} checked={value === true} onChange={event => onChange(event.currentTarget.checked)} />
    case 'date':
      return <DateField {...field} value={text} onChange={onChange} />
    case 'enum':
      return (
        <Select
          {...field}
          data={choices}
          value={text}
          onChange={chosen => onChange(chosen ?? text)}
          allowDeselect={false}
        />
      )
    case 'eventType':
      return (
        <Select
          {...field}
          placeholder={texts.chooseMeasurement}
          data={measurementsAmong(eventTypes)}
          value={text || null}
          onChange={chosen => onChange(chosen ?? '')}
          searchable
        />
      )
    case 'areas': {
      const chosen = Array.isArray(value) ? value : []
      return (
        <MultiSelect
          {...field}
          description={areas.size === 0 ? texts.noAreas : reason}
          placeholder={chosen.length === 0 ? texts.areasAll : undefined}
          data={namedOptions(areas, chosen)}
          value={[...chosen]}
          onChange={onChange}
          limit={OFFERED}
          searchable
          clearable
        />
      )
    }
    default: {
      const range = rangeOf(parameter)
      return (
        <TextInput
          {...field}
          label={unit ? `${label} (${shownUnit(unit).unit})` : label}
          description={[reason, range && texts.range(...range)].filter(Boolean).join(' · ')}
          value={text}
          onChange={event => onChange(event.currentTarget.value)}
          inputMode={isNumeric(parameter) ? 'decimal' : undefined}
          autoComplete="off"
        />
      )
    }
  }
}

/** What can be chosen by its name, and what is chosen already though the person may not see it. */
export function namedOptions(names: ReadonlyMap<string, string>, chosen: readonly string[]) {
  const known = [...names].map(([value, label]) => ({ value, label }))
  return [...known, ...chosen.filter(id => !names.has(id)).map(id => ({ value: id, label: id }))]
}

function measurementsAmong(eventTypes: readonly EventType[]) {
  const options = eventTypes.flatMap(({ dataType, eventType, unit }) => {
    const name = eventTypeName(eventType)
    return dataType === 'NUMBER' ? [{ value: eventType, label: unit ? `${name} (${unit})` : name }] : []
  })
  return options.sort((a, b) => compareTexts(a.label, b.label))
}

/** Monday to Friday, by day: the usual hours of a company, to begin with. */
export const USUAL_HOURS: HoursRow = { days: [0, 1, 2, 3, 4], from: '06:00', to: '18:00' }

interface HoursFieldsProps {
  readonly rows: readonly HoursRow[]
  readonly timeZone: string
  readonly error?: ReactNode
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
          <ClockField label={texts.from} value={row.from} onChange={from => change(at, { from })} />
          <ClockField
            label={isOverMidnight(row) ? `${texts.to} (${texts.overMidnight})` : texts.to}
            value={row.to}
            onChange={to => change(at, { to })}
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
        <Hint>{texts.timeZone(timeZone)}</Hint>
      </Group>
    </Stack>
  )
}
