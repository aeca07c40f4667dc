import { Box, Group, Text, UnstyledButton, VisuallyHidden } from '@mantine/core'
import { useVirtualizer } from '@tanstack/react-virtual'
import { Fragment, type KeyboardEvent, useCallback, useEffect, useRef, useState } from 'react'
import { type Car, needsAttention } from '../fleet/car.ts'
import { AttentionLine, energyText, MovementBadge, parkedText, shortDetail } from '../fleet/state-marks.tsx'
import { useTexts } from '../language/language.ts'
import type { CarDetails } from './car-details.ts'
import classes from './car-list.module.css'

interface CarListProps {
  readonly cars: readonly Car[]
  readonly details: CarDetails
  /** The heading above a car, by its index: the name of the group that begins with it. */
  readonly headings: ReadonlyMap<number, string>
  readonly chosenId: string | undefined
  readonly nowMs: number
  readonly onChoose: (id: string) => void
}

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
export function CarList({ cars, details, headings, chosenId, nowMs, onChoose }: CarListProps) {
  const texts = useTexts('map')
  const scroller = useRef<HTMLDivElement>(null)
  const [activeId, setActiveId] = useState(chosenId)
  // Rows are laid out anew when this function is another one: their heights change with the order of the cars.
  const keyOf = useCallback(
    (index: number) => `${headings.get(index) ?? ''}\n${cars[index]?.id ?? index}`,
    [cars, headings],
  )
  const rows = useVirtualizer({
    count: cars.length,
    getScrollElement: () => scroller.current,
    estimateSize: index => heightPx(cars[index]) + (headings.has(index) ? HEADING_PX : 0),
    getItemKey: keyOf,
    overscan: 6,
  })
  const activeIndex = cars.findIndex(car => car.id === activeId)

  // When a car is no longer chosen, the keys go on from it.
  useEffect(() => setActiveId(before => chosenId ?? before), [chosenId])

  const onKeyDown = (event: KeyboardEvent) => {
    const step = STEPS[event.key]
    if (step !== undefined) {
      const index = Math.min(cars.length - 1, Math.max(0, activeIndex + step))
      setActiveId(cars[index]?.id)
      rows.scrollToIndex(index)
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
      aria-activedescendant={activeIndex < 0 ? undefined : optionId(cars[activeIndex]?.id ?? '')}
      onKeyDown={onKeyDown}
    >
      <Box pos="relative" h={rows.getTotalSize()} role="presentation">
        {rows.getVirtualItems().map(row => {
          const car = cars[row.index]
          const heading = headings.get(row.index)
          const headingPx = heading === undefined ? 0 : HEADING_PX
          return (
            car && (
              <Fragment key={row.key}>
                {heading !== undefined && (
                  <Text
                    aria-hidden
                    className={classes.heading}
                    h={HEADING_PX}
                    style={{ transform: `translateY(${row.start}px)` }}
                  >
                    {heading}
                  </Text>
                )}
                <UnstyledButton
                  component="div"
                  id={optionId(car.id)}
                  role="option"
                  aria-selected={car.id === chosenId}
                  aria-setsize={cars.length}
                  aria-posinset={row.index + 1}
                  data-active={car.id === activeId || undefined}
                  className={classes.row}
                  h={heightPx(car)}
                  style={{ transform: `translateY(${row.start + headingPx}px)` }}
                  onClick={() => onChoose(car.id)}
                >
                  {heading !== undefined && <VisuallyHidden>{heading}</VisuallyHidden>}
                  <CarRow car={car} nowMs={nowMs} details={details} />
                </UnstyledButton>
              </Fragment>
            )
          )
        })}
      </Box>
    </Box>
  )
}

interface CarRowProps {
  readonly car: Car
  readonly nowMs: number
  readonly details: CarDetails
}

function CarRow({ car, nowMs: readMs, details }: CarRowProps) {
  const states = useTexts('carState')
  const { state, past } = car
  const nowMs = past?.atMs ?? readMs
  const { place } = state
  const parkedSinceMs = past ? past.sinceMs : details.tripEnds.get(car.id)
  const endMs = state.movement.kind === 'parked' ? parkedSinceMs : undefined
  // What a narrow list cuts off is what people know anyway.
  const facts = [
    details.placeOf(car),
    (endMs !== undefined && parkedText(endMs, nowMs)) || shortDetail(state, nowMs),
    state.energy ? energyText(state.energy) : '',
    place.kind === 'neverReported' && state.newestMs !== undefined ? states.noPosition : '',
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

function heightPx(car: Car | undefined): number {
  return car && needsAttention(car) ? ATTENTION_ROW_PX : ROW_PX
}

function optionId(carId: string): string {
  return `car-option-${carId}`
}
