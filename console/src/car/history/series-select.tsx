import { MultiSelect } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import type { Vehicle } from '../../api/types.ts'
import { useLanguage, useTexts } from '../../language/language.ts'
import { eventTypeName, grouped } from '../../measurements/measurement.ts'
import { MOST_SERIES } from './history-search.ts'
import { eventTypesQuery } from './series-query.ts'

interface SeriesSelectProps {
  readonly vehicle: Vehicle
  readonly chosen: readonly string[]
  readonly onChoose: (eventTypes: readonly string[]) => void
}

/** Chooses the lines of the chart: what the car has measured comes first, by groups. */
export function SeriesSelect({ vehicle, chosen, onChoose }: SeriesSelectProps) {
  const texts = useTexts('history')
  const groups = useTexts('measurementGroups')
  const language = useLanguage()
  const { data: eventTypes } = useQuery(eventTypesQuery)
  const data = useMemo(() => {
    const measured = new Set(vehicle.lastEvents.filter(isDrawable).map(event => event.eventType))
    const others = (eventTypes ?? []).filter(type => isDrawable(type) && !measured.has(type.eventType))
    const optionOf = (eventType: string) => ({ value: eventType, label: eventTypeName(eventType, language) })
    const ofCar = grouped([...measured], eventType => eventType).map(({ group, items }) => ({
      group: groups[group],
      items: items.map(optionOf),
    }))
    const rest = grouped(others, type => type.eventType).flatMap(part =>
      part.items.map(type => optionOf(type.eventType)),
    )
    const known = new Set([...measured, ...others.map(type => type.eventType)])
    const unknown = chosen.filter(eventType => !known.has(eventType)).map(optionOf)
    return [...ofCar, { group: texts.neverMeasured, items: [...rest, ...unknown] }]
  }, [vehicle.lastEvents, eventTypes, chosen, groups, language, texts])
  return (
    <MultiSelect
      label={texts.series}
      placeholder={chosen.length === 0 ? texts.chooseSeries : undefined}
      data={data}
      value={[...chosen]}
      onChange={onChoose}
      maxValues={MOST_SERIES}
      searchable
      clearable
      hidePickedOptions
      nothingFoundMessage={texts.searchNone}
      maxDropdownHeight={360}
    />
  )
}

/** Numbers are lines and switches are steps; texts and places have no place on an axis. */
export function isDrawable({ dataType }: { readonly dataType: string }): boolean {
  return dataType === 'NUMBER' || dataType === 'BOOLEAN'
}
