import { Group, Select } from '@mantine/core'
import { DatePickerInput } from '@mantine/dates'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { CarSelect } from '../fleet/car-select.tsx'
import type { CarEntry } from '../fleet/use-car-directory.ts'
import { useTexts } from '../language/language.ts'
import { tripsTexts } from './texts.ts'
import { RANGES, rangeNameOf, type TripsSearch } from './trips-search.ts'

interface TripsFiltersProps {
  readonly search: TripsSearch
  readonly cars: ReadonlyMap<string, CarEntry>
}

/** Which trips are listed; what is chosen goes into the address. */
export function TripsFilters({ search, cars }: TripsFiltersProps) {
  const texts = useTexts(tripsTexts)
  const navigate = useNavigate({ from: '/trips' })
  /** Days that are being chosen; the list changes when both are there. */
  const [choosing, setChoosing] = useState<[string | null, string | null]>()

  const { car: _car, ...time } = search
  const show = (changed: TripsSearch) => void navigate({ search: changed })
  const isCustom = choosing !== undefined || search.from !== undefined
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
          setChoosing(range ? undefined : [null, null])
          if (range) show({ ...withCar, range })
        }}
        w={{ base: '100%', xs: 170 }}
      />
      {isCustom && (
        <DatePickerInput
          type="range"
          label={texts.days}
          placeholder={texts.chooseDays}
          valueFormat="D MMM YYYY"
          allowSingleDateInRange
          value={choosing ?? [search.from ?? null, search.to ?? null]}
          onChange={chosen => {
            const [from, to] = chosen
            const isComplete = from !== null && to !== null
            setChoosing(isComplete ? undefined : chosen)
            if (isComplete) show({ ...withCar, from, to })
          }}
          w={{ base: '100%', xs: 260 }}
        />
      )}
    </Group>
  )
}
