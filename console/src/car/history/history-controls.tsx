import { ActionIcon, Group, Input, MultiSelect, SegmentedControl } from '@mantine/core'
import {
  type Icon,
  IconArrowBackUp,
  IconChevronLeft,
  IconChevronRight,
  IconZoomIn,
  IconZoomOut,
} from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import type { Vehicle } from '../../api/types.ts'
import { dayOf, startOfDayMs } from '../../calendar/days.ts'
import { moved, type TimeView, within, zoomed } from '../../chart/chart-data.ts'
import { useTexts } from '../../language/language.ts'
import { eventTypeName, grouped } from '../../measurements/measurement.ts'
import { DaysInput } from '../../table/filters.tsx'
import { isDrawable } from '../car-facts.ts'
import { eventTypesQuery } from './history-queries.ts'
import {
  customRange,
  type HistorySearch,
  MOST_SERIES,
  NAMED_RANGE,
  RANGE_NAMES,
  rangeNameOf,
} from './history-search.ts'

const ZOOM = 2
const SHIFT_SHARE = 0.5

interface RangeControlsProps {
  readonly search: HistorySearch
  readonly view: TimeView
  readonly onChange: (changed: HistorySearch) => void
}

/** Chooses the period: by name, by days, or step by step with buttons that do what the pointer does in the chart. */
export function RangeControls({ search, view, onChange }: RangeControlsProps) {
  const texts = useTexts('history')
  const name = rangeNameOf(search)
  const lengthMs = view.toMs - view.fromMs
  const middleMs = (view.fromMs + view.toMs) / 2
  const step = (label: string, icon: Icon, next: TimeView) => ({
    label,
    icon,
    onClick: () => onChange(customRange(within(next, Date.now()))),
  })
  const buttons = [
    step(texts.earlier, IconChevronLeft, moved(view, -lengthMs * SHIFT_SHARE)),
    step(texts.zoomOut, IconZoomOut, zoomed(view, ZOOM, middleMs)),
    step(texts.zoomIn, IconZoomIn, zoomed(view, 1 / ZOOM, middleMs)),
    step(texts.later, IconChevronRight, moved(view, lengthMs * SHIFT_SHARE)),
    { label: texts.reset, icon: IconArrowBackUp, onClick: () => onChange(NAMED_RANGE), disabled: name !== 'custom' },
  ]
  return (
    <Group align="end" gap="sm">
      <Input.Wrapper label={texts.period} labelElement="div">
        <SegmentedControl
          aria-label={texts.period}
          value={name}
          onChange={range => onChange(range === 'custom' ? customRange(view) : { ...NAMED_RANGE, range })}
          data={[...RANGE_NAMES, 'custom' as const].map(value => ({ value, label: texts.ranges[value] }))}
          display="flex"
        />
      </Input.Wrapper>
      {name === 'custom' && (
        <DaysInput
          value={{ from: dayOf(view.fromMs), to: dayOf(view.toMs) }}
          onChange={({ from, to }) => onChange(customRange({ fromMs: startOfDayMs(from), toMs: startOfDayMs(to, 1) }))}
        />
      )}
      <ActionIcon.Group>
        {buttons.map(({ label, icon: Symbol, ...button }) => (
          <ActionIcon key={label} variant="default" size={36} aria-label={label} title={label} {...button}>
            <Symbol size={18} stroke={1.6} />
          </ActionIcon>
        ))}
      </ActionIcon.Group>
    </Group>
  )
}

interface SeriesSelectProps {
  readonly vehicle: Vehicle
  readonly chosen: readonly string[]
  readonly onChoose: (eventTypes: readonly string[]) => void
}

/** Chooses the lines of the chart: what the car has measured comes first, by groups. */
export function SeriesSelect({ vehicle, chosen, onChoose }: SeriesSelectProps) {
  const texts = useTexts('history')
  const groups = useTexts('measurementGroups')
  const { data: eventTypes } = useQuery(eventTypesQuery)
  const measured = vehicle.lastEvents.filter(isDrawable)
  const listed = new Set(measured.map(event => event.eventType))
  const others = [...(eventTypes ?? []).filter(isDrawable), ...chosen.map(eventType => ({ eventType }))].filter(
    ({ eventType }) => !listed.has(eventType) && listed.add(eventType),
  )
  const optionOf = ({ eventType }: { readonly eventType: string }) => ({
    value: eventType,
    label: eventTypeName(eventType),
  })
  const data = [
    ...grouped(measured).map(({ group, items }) => ({ group: groups[group], items: items.map(optionOf) })),
    { group: texts.neverMeasured, items: grouped(others).flatMap(({ items }) => items.map(optionOf)) },
  ]
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
