import { ActionIcon, Group, Input, SegmentedControl } from '@mantine/core'
import { IconArrowBackUp, IconChevronLeft, IconChevronRight, IconZoomIn, IconZoomOut } from '@tabler/icons-react'
import { dayOf, startOfDayMs } from '../../calendar/days.ts'
import { DaysInput } from '../../calendar/days-input.tsx'
import { moved, type TimeView, within, zoomed } from '../../chart/chart-data.ts'
import { useTexts } from '../../language/language.ts'
import { RANGE_NAMES, type RangeName } from './history-search.ts'

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
