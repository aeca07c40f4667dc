import { Group, Select } from '@mantine/core'
import { useState } from 'react'
import { DaysInput } from '../calendar/days-input.tsx'
import { CarSelect } from '../fleet/car-select.tsx'
import { useCarDirectory } from '../fleet/use-car-directory.ts'
import { useTexts } from '../language/language.ts'
import { useMay } from '../session/use-session.ts'
import { type Period, PRESET_NAMES, presetNameOf, type StatisticsSearch } from './statistics-search.ts'

interface StatisticsFiltersProps {
  readonly search: StatisticsSearch
  readonly period: Period
  readonly onChange: (search: StatisticsSearch) => void
}

/** Which trips are counted, and in what bins. */
export function StatisticsFilters({ search, period, onChange }: StatisticsFiltersProps) {
  const texts = useTexts('statistics')
  const cars = useCarDirectory()
  const mayReadVehicles = useMay('vehicles')
  const [isChoosingDays, setIsChoosingDays] = useState(false)
  const { preset: _preset, from, to, by: _by, ...rest } = search
  const isCustom = isChoosingDays || from !== undefined
  return (
    <Group align="end" gap="sm">
      {mayReadVehicles && <CarSelect cars={cars} value={search.car} onChange={car => onChange({ ...search, car })} />}
      <Select
        label={texts.period}
        data={[...PRESET_NAMES, 'custom' as const].map(value => ({ value, label: texts.presets[value] }))}
        value={isCustom ? 'custom' : presetNameOf(search)}
        allowDeselect={false}
        onChange={value => {
          const preset = PRESET_NAMES.find(name => name === value)
          setIsChoosingDays(preset === undefined)
          if (preset) onChange({ ...rest, preset })
        }}
        w={{ base: '100%', xs: 160 }}
      />
      {isCustom && (
        <DaysInput
          value={from !== undefined && to !== undefined ? { from, to } : undefined}
          onChange={days => {
            setIsChoosingDays(false)
            onChange({ ...rest, ...days, by: search.by })
          }}
        />
      )}
      {from !== undefined && (
        <Select
          label={texts.by}
          data={period.sizes.map(value => ({ value, label: texts.sizes[value] }))}
          value={period.size}
          allowDeselect={false}
          onChange={size => onChange({ ...search, by: size ?? undefined })}
          w={{ base: '100%', xs: 120 }}
        />
      )}
    </Group>
  )
}
