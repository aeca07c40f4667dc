import { Group, SegmentedControl, Select, TextInput } from '@mantine/core'
import { IconSearch } from '@tabler/icons-react'
import { useState } from 'react'
import { DaysInput } from '../calendar/days-input.tsx'
import { useTexts } from '../language/language.ts'
import { type FaultsSearch, GROUPINGS, KINDS, RANGE_NAMES, rangeNameOf, VIEWS } from './faults-search.ts'

interface FaultsFiltersProps {
  readonly search: FaultsSearch
  /** What is in the search field, which the address follows. */
  readonly typed: string
  readonly onType: (typed: string) => void
  readonly onChange: (search: FaultsSearch) => void
}

/** Which codes are shown, and how they are arranged. */
export function FaultsFilters({ search, typed, onType, onChange }: FaultsFiltersProps) {
  const texts = useTexts('faults')
  const [isChoosingDays, setIsChoosingDays] = useState(false)
  const isHistory = search.view === 'history'
  const { range: _range, from, to, ...rest } = search
  const isCustom = isChoosingDays || from !== undefined
  return (
    <Group align="end" gap="sm">
      <SegmentedControl
        aria-label={texts.view}
        value={search.view ?? 'current'}
        onChange={view => onChange({ ...search, view: view === 'history' ? view : undefined })}
        data={VIEWS.map(value => ({ value, label: texts.views[value] }))}
      />
      <SegmentedControl
        aria-label={texts.grouping}
        value={search.group ?? 'none'}
        onChange={group => onChange({ ...search, group: group === 'none' ? undefined : group })}
        data={GROUPINGS.map(value => ({ value, label: texts.groupings[value] }))}
      />
      <TextInput
        aria-label={texts.search}
        placeholder={texts.search}
        leftSection={<IconSearch size={16} aria-hidden />}
        value={typed}
        onChange={event => onType(event.currentTarget.value)}
        w={{ base: '100%', xs: 230 }}
      />
      <Select
        aria-label={texts.kind}
        placeholder={texts.allKinds}
        data={KINDS.map(value => ({ value, label: texts.kinds[value] }))}
        value={search.kind ?? null}
        onChange={kind => onChange({ ...search, kind: kind ?? undefined })}
        clearable
        w={{ base: '100%', xs: 140 }}
      />
      {isHistory && (
        <Select
          aria-label={texts.period}
          data={[...RANGE_NAMES, 'custom' as const].map(value => ({ value, label: texts.ranges[value] }))}
          value={isCustom ? 'custom' : rangeNameOf(search)}
          allowDeselect={false}
          onChange={value => {
            const range = RANGE_NAMES.find(name => name === value)
            setIsChoosingDays(range === undefined)
            if (range) onChange({ ...rest, range })
          }}
          w={{ base: '100%', xs: 160 }}
        />
      )}
      {isHistory && isCustom && (
        <DaysInput
          value={from !== undefined && to !== undefined ? { from, to } : undefined}
          onChange={days => onChange({ ...rest, ...days })}
        />
      )}
    </Group>
  )
}
