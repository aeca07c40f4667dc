import { ActionIcon, Group, Input, MultiSelect, SegmentedControl } from '@mantine/core'
import { IconArrowBackUp, IconChevronLeft, IconChevronRight, IconZoomIn, IconZoomOut } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import type { Vehicle } from '../../api/types.ts'
import { dayOf, startOfDayMs } from '../../calendar/days.ts'
import { moved, type TimeView, within, zoomed } from '../../chart/chart-data.ts'
import { useTexts } from '../../language/language.ts'
import { eventTypeName, grouped } from '../../measurements/measurement.ts'
import { DaysInput } from '../../table/filters.tsx'
import { isDrawable } from '../car-facts.ts'
import { eventTypesQuery } from './history-queries.ts'
import { MOST_SERIES, RANGE_NAMES, type RangeName } from './history-search.ts'

const ZOOM = 2
const SHIFT_SHARE = 0.5

interface RangeControlsProps {
  readonly name: RangeName | 'custom'
  readonly view: TimeView
  readonly onRange: (name: RangeName) => void
  readonly onView: (view: TimeView) => void
  readonly onReset: () => void
}

/** Chooses the period: by name, by days, or step by step with buttons that do what the pointer does in the chart. */
export function RangeControls({ name, view, onRange, onView, onReset }: RangeControlsProps) {
  const texts = useTexts('history')
  const lengthMs = view.toMs - view.fromMs
  const middleMs = (view.fromMs + view.toMs) / 2
  const steps = [
    { label: texts.earlier, icon: IconChevronLeft, view: moved(view, -lengthMs * SHIFT_SHARE) },
    { label: texts.zoomOut, icon: IconZoomOut, view: zoomed(view, ZOOM, middleMs) },
    { label: texts.zoomIn, icon: IconZoomIn, view: zoomed(view, 1 / ZOOM, middleMs) },
    { label: texts.later, icon: IconChevronRight, view: moved(view, lengthMs * SHIFT_SHARE) },
  ]
  return (
    <Group align="end" gap="sm">
      <Input.Wrapper label={texts.period} labelElement="div">
        <SegmentedControl
          aria-label={texts.period}
          value={name}
          onChange={chosen => (chosen === 'custom' ? onView(view) : onRange(chosen))}
          data={[...RANGE_NAMES, 'custom' as const].map(value => ({ value, label: texts.ranges[value] }))}
          display="flex"
        />
      </Input.Wrapper>
      {name === 'custom' && (
        <DaysInput
          value={{ from: dayOf(view.fromMs), to: dayOf(view.toMs) }}
          onChange={({ from, to }) => onView({ fromMs: startOfDayMs(from), toMs: startOfDayMs(to, 1) })}
        />
      )}
      <ActionIcon.Group>
        {steps.map(({ label, icon: Symbol, view: next }) => (
          <ActionIcon
            key={label}
            variant="default"
            size={36}
            aria-label={label}
            title={label}
            onClick={() => onView(within(next, Date.now()))}
          >
            <Symbol size={18} stroke={1.6} />
          </ActionIcon>
        ))}
        <ActionIcon
          variant="default"
          size={36}
          aria-label={texts.reset}
          title={texts.reset}
          disabled={name !== 'custom'}
          onClick={onReset}
        >
          <IconArrowBackUp size={18} stroke={1.6} />
        </ActionIcon>
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
  const data = useMemo(() => {
    const measured = new Set(vehicle.lastEvents.filter(isDrawable).map(event => event.eventType))
    const others = (eventTypes ?? []).filter(type => isDrawable(type) && !measured.has(type.eventType))
    const optionOf = (eventType: string) => ({ value: eventType, label: eventTypeName(eventType) })
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
  }, [vehicle.lastEvents, eventTypes, chosen, groups, texts])
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
