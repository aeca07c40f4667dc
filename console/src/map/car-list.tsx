import { Box, Group, Text, UnstyledButton, VisuallyHidden } from '@mantine/core'
import { useVirtualizer } from '@tanstack/react-virtual'
import { type KeyboardEvent, useCallback, useEffect, useRef, useState } from 'react'
import { type Car, needsAttention } from '../fleet/car.ts'
import { AttentionLine, energyText, MovementBadge, parkedText, shortDetail } from '../fleet/state-marks.tsx'
import { useNow, useTexts } from '../language/language.ts'
import type { CarDetails } from './car-details.ts'
import classes from './car-list.module.css'

export interface CarRow {
  readonly car: Car
  /** The name of the group that begins with it. */
  readonly heading: string | undefined
}

interface CarListProps {
  readonly rows: readonly CarRow[]
  readonly details: CarDetails
  readonly chosenId: string | undefined
  readonly onChoose: (id: string) => void
}

const NO_ROW = { car: undefined, heading: undefined }

/** A car that needs attention has a line more, for the reason. */
const ROW_PX = 58
const ATTENTION_ROW_PX = 74
const HEADING_PX = 32

/** How far the arrow keys and the like move, in rows. */
const STEPS: Readonly<Record<string, number>> = {
  ArrowDown: 1,
  ArrowUp: -1,
  PageDown: 8,
  PageUp: -8,
  Home: Number.NEGATIVE_INFINITY,
  End: Number.POSITIVE_INFINITY,
}

/** All cars, however many: one stop of the tab key, arrow keys move in it, Enter chooses. */
export function CarList({ rows, details, chosenId, onChoose }: CarListProps) {
  const texts = useTexts('map')
  const nowMs = useNow()
  const scroller = useRef<HTMLDivElement>(null)
  const [activeId, setActiveId] = useState(chosenId)
  // Rows are laid out anew when this function is another one: their heights change with the order of the cars.
  const keyOf = useCallback((index: number) => `${rows[index]?.heading ?? ''}\n${rows[index]?.car.id ?? index}`, [rows])
  const layout = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: index => heightPx(rows[index]),
    getItemKey: keyOf,
    overscan: 6,
  })
  const activeIndex = rows.findIndex(({ car }) => car.id === activeId)

  // When a car is no longer chosen, the keys go on from it.
  useEffect(() => setActiveId(before => chosenId ?? before), [chosenId])

  const onKeyDown = (event: KeyboardEvent) => {
    const step = STEPS[event.key]
    if (step !== undefined) {
      const index = Math.min(rows.length - 1, Math.max(0, activeIndex + step))
      setActiveId(rows[index]?.car.id)
      layout.scrollToIndex(index)
    } else if ((event.key === 'Enter' || event.key === ' ') && activeId !== undefined) onChoose(activeId)
    else return
    event.preventDefault()
  }

  return (
    <Box
      ref={scroller}
      className={classes.list}
      role="listbox"
      tabIndex={0}
      aria-label={texts.list}
      aria-activedescendant={activeIndex < 0 ? undefined : optionId(activeId)}
      onKeyDown={onKeyDown}
    >
      <Box pos="relative" h={layout.getTotalSize()} role="presentation">
        {layout.getVirtualItems().map(({ index, key, start, size }) => {
          const { car, heading } = rows[index] ?? NO_ROW
          return (
            car && (
              <Box key={key} className={classes.place} h={size} style={{ transform: `translateY(${start}px)` }}>
                {heading !== undefined && (
                  <Text aria-hidden className={classes.heading} h={HEADING_PX}>
                    {heading}
                  </Text>
                )}
                <UnstyledButton
                  component="div"
                  id={optionId(car.id)}
                  role="option"
                  aria-selected={car.id === chosenId}
                  aria-setsize={rows.length}
                  aria-posinset={index + 1}
                  data-active={car.id === activeId || undefined}
                  className={classes.row}
                  onClick={() => onChoose(car.id)}
                >
                  {heading !== undefined && <VisuallyHidden>{heading}</VisuallyHidden>}
                  <CarLines car={car} nowMs={car.past?.atMs ?? nowMs} details={details} />
                </UnstyledButton>
              </Box>
            )
          )
        })}
      </Box>
    </Box>
  )
}

interface CarLinesProps {
  readonly car: Car
  readonly nowMs: number
  readonly details: CarDetails
}

function CarLines({ car, nowMs, details }: CarLinesProps) {
  const states = useTexts('carState')
  const { state, past } = car
  const parkedSinceMs = past ? past.sinceMs : details.tripEnds.get(car.id)
  const endMs = state.movement.kind === 'parked' ? parkedSinceMs : undefined
  // What a narrow list cuts off is what people know anyway.
  const facts = [
    details.placeOf(car),
    (endMs !== undefined && parkedText(endMs, nowMs)) || shortDetail(state, nowMs),
    state.energy ? energyText(state.energy) : '',
    state.place.kind === 'neverReported' && state.newestMs !== undefined ? states.noPosition : '',
    car.name === car.makeAndModel ? '' : car.makeAndModel,
  ]
  return (
    <>
      <Group justify="space-between" wrap="nowrap" gap="xs">
        <Text fw={600} size="sm" truncate>
          {car.name}
        </Text>
        <MovementBadge movement={state.movement.kind} />
      </Group>
      <Text size="xs" c="dimmed" truncate>
        {facts.filter(Boolean).join(' · ')}
      </Text>
      <AttentionLine health={state.health} />
    </>
  )
}

function heightPx(row: CarRow | undefined): number {
  const carPx = row && needsAttention(row.car) ? ATTENTION_ROW_PX : ROW_PX
  return carPx + (row?.heading === undefined ? 0 : HEADING_PX)
}

const optionId = (carId: string | undefined) => `car-option-${carId}`
