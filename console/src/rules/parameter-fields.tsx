import { Checkbox, MultiSelect, Select, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { useAreaNames } from '../areas/areas-query.ts'
import { eventTypesQuery } from '../car/history/history-series.ts'
import { formatNumber } from '../language/format.ts'
import { compareTexts, useLanguage, useTexts } from '../language/language.ts'
import { eventTypeName } from '../measurements/measurement.ts'
import type { RuleParameter } from './parameter-text.ts'
import type { ParameterDraft } from './rule-draft.ts'

const OFFERED = 100

interface ParameterFieldProps {
  readonly parameter: RuleParameter
  readonly value: ParameterDraft
  readonly error: string | undefined
  readonly onChange: (value: ParameterDraft) => void
}

/** A field for a parameter of a kind of rule, with unit, range and the reason for the default. */
export function ParameterField({ parameter, value, error, onChange }: ParameterFieldProps) {
  const texts = useTexts('rules')
  const language = useLanguage()
  const { dataType, label, reason, unit, minimum, maximum, choices } = parameter
  const text = typeof value === 'string' ? value : ''
  switch (dataType) {
    case 'boolean':
      return (
        <Checkbox
          label={label}
          description={reason}
          checked={value === true}
          onChange={event => onChange(event.currentTarget.checked)}
        />
      )
    case 'enum':
      return (
        <Select
          label={label}
          description={reason}
          data={choices}
          value={text}
          onChange={chosen => onChange(chosen ?? text)}
          allowDeselect={false}
          error={error}
        />
      )
    case 'areas':
      return <AreasField parameter={parameter} value={Array.isArray(value) ? value : []} onChange={onChange} />
    case 'eventType':
      return <EventTypeField parameter={parameter} value={text} error={error} onChange={onChange} />
    default: {
      const isNumber = dataType === 'number' || dataType === 'integer'
      const range =
        isNumber && minimum !== null && maximum !== null
          ? texts.range(formatNumber(minimum, language), formatNumber(maximum, language))
          : ''
      return (
        <TextInput
          label={unit ? `${label} (${unit})` : label}
          description={[reason, range].filter(Boolean).join(' · ')}
          value={text}
          onChange={event => onChange(event.currentTarget.value)}
          type={dataType === 'date' ? 'date' : 'text'}
          inputMode={isNumber ? 'decimal' : undefined}
          autoComplete="off"
          error={error}
        />
      )
    }
  }
}

interface AreasFieldProps {
  readonly parameter: RuleParameter
  readonly value: readonly string[]
  readonly onChange: (value: ParameterDraft) => void
}

function AreasField({ parameter, value, onChange }: AreasFieldProps) {
  const texts = useTexts('rules')
  const areas = useAreaNames()
  const options = useMemo(() => {
    const known = [...areas].map(([id, name]) => ({ value: id, label: name }))
    return [...known, ...value.filter(id => !areas.has(id)).map(id => ({ value: id, label: id }))]
  }, [areas, value])
  return (
    <MultiSelect
      label={parameter.label}
      description={areas.size === 0 ? texts.noAreas : parameter.reason}
      placeholder={value.length === 0 ? texts.areasAll : undefined}
      data={options}
      value={[...value]}
      onChange={onChange}
      limit={OFFERED}
      searchable
      clearable
    />
  )
}

interface EventTypeFieldProps {
  readonly parameter: RuleParameter
  readonly value: string
  readonly error: string | undefined
  readonly onChange: (value: ParameterDraft) => void
}

function EventTypeField({ parameter, value, error, onChange }: EventTypeFieldProps) {
  const texts = useTexts('rules')
  const language = useLanguage()
  const { data: eventTypes } = useQuery(eventTypesQuery)
  const options = useMemo(
    () =>
      (eventTypes ?? [])
        .filter(type => type.dataType === 'NUMBER')
        .map(({ eventType, unit }) => {
          const name = eventTypeName(eventType, language)
          return { value: eventType, label: unit ? `${name} (${unit})` : name }
        })
        .sort((a, b) => compareTexts(a.label, b.label)),
    [eventTypes, language],
  )
  return (
    <Select
      label={parameter.label}
      description={parameter.reason}
      placeholder={texts.chooseMeasurement}
      data={options}
      value={value === '' ? null : value}
      onChange={chosen => onChange(chosen ?? '')}
      error={error}
      searchable
    />
  )
}
