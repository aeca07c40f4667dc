import { Group, Select } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { DaysInput } from '../calendar/days-input.tsx'
import { CarSelect } from '../fleet/car-select.tsx'
import type { CarEntry } from '../fleet/use-car-directory.ts'
import { useTexts } from '../language/language.ts'
import { RANGES, rangeNameOf, type TripsSearch } from './trips-search.ts'

interface TripsFiltersProps {
  readonly search: TripsSearch
  readonly cars: ReadonlyMap<string, CarEntry>
}

/** Which trips are listed; what is chosen goes into the address. */
export function TripsFilters({ search, cars }: TripsFiltersProps) {
  const texts = useTexts('trips')
  const navigate = useNavigate({ from: '/trips' })
  /** The user wants to choose days, but has not done so yet. */
  const [wantsDays, setWantsDays] = useState(false)

  const { car: _car, ...time } = search
  const show = (changed: TripsSearch) => void navigate({ search: changed })
  const { from, to } = search
  const isCustom = wantsDays || from !== undefined
  const withCar = search.car === undefined ? {} : { car: search.car }

  return (
    <Group align="end" gap="sm">
      <CarSelect cars={cars} value={search.car} onChange={car => show(car === undefined ? time : { ...time, car })} />
      <Select
        label={texts.period}
        data={[...RANGES, 'custom' as const].map(value => ({ value, label: texts.ranges[value] }))}
        value={isCustom ? 'custom' : rangeNameOf(search)}
        allowDeselect={false}
        onChange={value => {
          const range = RANGES.find(name => name === value)
          setWantsDays(range === undefined)
          if (range) show({ ...withCar, range })
        }}
        w={{ base: '100%', xs: 170 }}
      />
      {isCustom && (
        <DaysInput
          value={from === undefined || to === undefined ? undefined : { from, to }}
          onChange={days => {
            setWantsDays(false)
            show({ ...withCar, ...days })
          }}
        />
      )}
    </Group>
  )
}
