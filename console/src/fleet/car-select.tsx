import { type ComboboxParsedItem, Select } from '@mantine/core'
import { useMemo } from 'react'
import { compareTexts, useTexts } from '../language/language.ts'
import { type CarEntry, isFound, numberOfCar } from './car.ts'

const MOST_OPTIONS = 100

interface CarSelectProps {
  readonly cars: ReadonlyMap<string, CarEntry>
  /** Id of the chosen vehicle; undefined for all. */
  readonly value: string | undefined
  readonly onChange: (vehicleId: string | undefined) => void
}

/** One car or all of them. */
export function CarSelect({ cars, value, onChange }: CarSelectProps) {
  const texts = useTexts('carSelect')
  const options = useMemo(() => optionsOf(cars, value), [cars, value])
  return (
    <Select
      label={texts.car}
      placeholder={texts.all}
      nothingFoundMessage={texts.none}
      data={options}
      value={value ?? null}
      onChange={chosen => onChange(chosen ?? undefined)}
      searchable
      clearable
      limit={MOST_OPTIONS}
      filter={({ options: all, search: typed, limit }) => foundOptions(all, typed, cars).slice(0, limit)}
      w={{ base: '100%', xs: 240 }}
    />
  )
}

function optionsOf(cars: ReadonlyMap<string, CarEntry>, chosen: string | undefined) {
  const offered = [...cars.values()].filter(car => !car.isHidden || car.id === chosen)
  const options = offered.map(({ id, name, makeAndModel }) => ({
    value: id,
    label: makeAndModel === '' || makeAndModel === name ? name : `${name} · ${makeAndModel}`,
  }))
  // A link may name a car that is not among those the person sees.
  if (chosen !== undefined && !cars.has(chosen)) options.push({ value: chosen, label: numberOfCar(chosen) })
  return options.sort((a, b) => compareTexts(a.label, b.label))
}

/** Cars are found as everywhere: by plate, VIN, IMEI, make and model. */
function foundOptions(options: readonly ComboboxParsedItem[], typed: string, cars: ReadonlyMap<string, CarEntry>) {
  return options.filter(option => {
    const car = 'value' in option ? cars.get(option.value) : undefined
    return car !== undefined && isFound(car, typed)
  })
}
