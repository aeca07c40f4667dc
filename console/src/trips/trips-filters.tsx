import { type ComboboxParsedItem, Group, Select } from '@mantine/core'
import { DatePickerInput } from '@mantine/dates'
import { useNavigate } from '@tanstack/react-router'
import { useMemo, useState } from 'react'
import { isFound } from '../fleet/search.ts'
import type { CarEntry } from '../fleet/use-car-directory.ts'
import { useTexts } from '../language/language.ts'
import { tripsTexts } from './texts.ts'
import { RANGES, rangeNameOf, type TripsSearch } from './trips-search.ts'

interface TripsFiltersProps {
  readonly search: TripsSearch
  readonly cars: ReadonlyMap<string, CarEntry>
}

const MOST_OPTIONS = 100

/** Which trips are listed; what is chosen goes into the address. */
export function TripsFilters({ search, cars }: TripsFiltersProps) {
  const texts = useTexts(tripsTexts)
  const navigate = useNavigate({ from: '/trips' })
  /** Days that are being chosen; the list changes when both are there. */
  const [choosing, setChoosing] = useState<[string | null, string | null]>()
  const options = useMemo(() => carOptions(cars, search.car), [cars, search.car])

  const { car: _car, ...time } = search
  const show = (changed: TripsSearch) => void navigate({ search: changed })
  const isCustom = choosing !== undefined || search.from !== undefined
  const withCar = search.car === undefined ? {} : { car: search.car }

  return (
    <Group align="end" gap="sm">
      <Select
        label={texts.car}
        placeholder={texts.allCars}
        nothingFoundMessage={texts.noSuchCar}
        data={options}
        value={search.car ?? null}
        onChange={car => show(car === null ? time : { ...time, car })}
        searchable
        clearable
        limit={MOST_OPTIONS}
        filter={({ options: all, search: typed, limit }) => foundOptions(all, typed, limit, cars)}
        w={{ base: '100%', xs: 240 }}
      />
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

function carOptions(cars: ReadonlyMap<string, CarEntry>, chosen: string | undefined) {
  const offered = [...cars.values()].filter(car => !car.isHidden || car.id === chosen)
  const options = offered.map(({ id, name, makeAndModel }) => ({
    value: id,
    label: makeAndModel === '' || makeAndModel === name ? name : `${name} · ${makeAndModel}`,
  }))
  // A link may name a car that is not among those the person sees.
  if (chosen !== undefined && !cars.has(chosen)) options.push({ value: chosen, label: chosen })
  return options.sort((a, b) => a.label.localeCompare(b.label))
}

/** Cars are found as everywhere: by plate, VIN, IMEI, make and model. */
function foundOptions(
  options: readonly ComboboxParsedItem[],
  typed: string,
  limit: number,
  cars: ReadonlyMap<string, CarEntry>,
): ComboboxParsedItem[] {
  const found: ComboboxParsedItem[] = []
  for (const option of options) {
    const car = 'value' in option ? cars.get(option.value) : undefined
    if (car && isFound(car, typed)) found.push(option)
    if (found.length === limit) break
  }
  return found
}
