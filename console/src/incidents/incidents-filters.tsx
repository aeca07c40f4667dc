import { Group, Select } from '@mantine/core'
import { useMemo, useState } from 'react'
import { DaysInput } from '../calendar/days-input.tsx'
import { CarSelect } from '../fleet/car-select.tsx'
import type { CarEntry } from '../fleet/use-car-directory.ts'
import { compareTexts, useTexts } from '../language/language.ts'
import { type IncidentsSearch, RANGE_NAMES, rangeNameOf, STATES } from './incidents-search.ts'
import { SEVERITIES } from './severity.ts'

interface IncidentsFiltersProps {
  readonly search: IncidentsSearch
  readonly onChange: (search: IncidentsSearch) => void
  readonly cars: ReadonlyMap<string, CarEntry>
  /** Kinds that there are in the period. */
  readonly kinds: readonly { readonly kind: string; readonly title: string }[]
  /** Names by id; empty for those who may not see them. */
  readonly rules: ReadonlyMap<string, { readonly name: string; readonly deleteTimestamp: string | null }>
  readonly areas: ReadonlyMap<string, string>
}

/** Which incidents are shown; what is chosen goes into the address. */
export function IncidentsFilters({ search, onChange, cars, kinds, rules, areas }: IncidentsFiltersProps) {
  const texts = useTexts('incidents')
  /** The user wants to choose days, but has not done so yet. */
  const [wantsDays, setWantsDays] = useState(false)
  const { range: _range, from, to, ...rest } = search
  const isCustom = wantsDays || from !== undefined
  const whats = useMemo(() => {
    const ruleItems = [...rules]
      .filter(([id, rule]) => rule.deleteTimestamp === null || id === search.rule)
      .map(([id, { name }]) => ({ value: `rule:${id}`, label: name }))
      .sort(byLabel)
    const kindItems = kinds.map(({ kind, title }) => ({ value: `kind:${kind}`, label: title }))
    if (search.kind !== undefined && !kinds.some(({ kind }) => kind === search.kind))
      kindItems.push({ value: `kind:${search.kind}`, label: search.kind })
    return [
      { group: texts.kinds, items: kindItems },
      { group: texts.rules, items: ruleItems },
    ].filter(({ items }) => items.length > 0)
  }, [kinds, rules, search.kind, search.rule, texts])
  const areaItems = useMemo(() => [...areas].map(([value, label]) => ({ value, label })).sort(byLabel), [areas])
  const chooseWhat = (value: string | null) => {
    const { kind: _kind, rule: _rule, ...others } = search
    const [what, id = ''] = value?.split(':') ?? []
    onChange({ ...others, ...(what === 'kind' ? { kind: id } : {}), ...(what === 'rule' ? { rule: id } : {}) })
  }
  const what =
    search.rule !== undefined ? `rule:${search.rule}` : search.kind !== undefined ? `kind:${search.kind}` : null
  return (
    <Group align="end" gap="sm">
      <Select
        label={texts.state}
        placeholder={texts.allStates}
        data={STATES.map(value => ({ value, label: texts.states[value] }))}
        value={search.state ?? null}
        onChange={state => onChange({ ...search, state: state ?? undefined })}
        clearable
        w={{ base: HALF, xs: 170 }}
      />
      <Select
        label={texts.severity}
        placeholder={texts.allSeverities}
        data={SEVERITIES.map(value => ({ value, label: texts.severities[value] }))}
        value={search.severity ?? null}
        onChange={severity => onChange({ ...search, severity: severity ?? undefined })}
        clearable
        w={{ base: HALF, xs: 130 }}
      />
      <Select
        label={texts.what}
        placeholder={texts.everything}
        data={whats}
        value={what}
        onChange={chooseWhat}
        nothingFoundMessage={texts.nothingFound}
        searchable
        clearable
        w={{ base: '100%', xs: 190 }}
      />
      <CarSelect cars={cars} value={search.car} onChange={car => onChange({ ...search, car })} />
      {(areaItems.length > 0 || search.area !== undefined) && (
        <Select
          label={texts.area}
          placeholder={texts.allAreas}
          data={areaItems}
          value={search.area ?? null}
          onChange={area => onChange({ ...search, area: area ?? undefined })}
          nothingFoundMessage={texts.nothingFound}
          limit={100}
          searchable
          clearable
          w={{ base: HALF, xs: 160 }}
        />
      )}
      <Select
        label={texts.period}
        data={[...RANGE_NAMES, 'custom' as const].map(value => ({ value, label: texts.ranges[value] }))}
        value={isCustom ? 'custom' : rangeNameOf(search)}
        allowDeselect={false}
        onChange={value => {
          const range = RANGE_NAMES.find(name => name === value)
          setWantsDays(range === undefined)
          if (range) onChange({ ...rest, range })
        }}
        w={{ base: HALF, xs: 160 }}
      />
      {isCustom && (
        <DaysInput
          value={from !== undefined && to !== undefined ? { from, to } : undefined}
          onChange={days => {
            setWantsDays(false)
            onChange({ ...rest, ...days })
          }}
        />
      )}
    </Group>
  )
}

/** Two of them side by side on a phone. */
const HALF = 'calc(50% - 6px)'

function byLabel(a: { readonly label: string }, b: { readonly label: string }): number {
  return compareTexts(a.label, b.label)
}
