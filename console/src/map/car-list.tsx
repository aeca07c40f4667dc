import { Box, Group, Text, UnstyledButton } from '@mantine/core'
import { useVirtualizer } from '@tanstack/react-virtual'
import { type KeyboardEvent, useEffect, useRef, useState } from 'react'
import type { Car } from '../fleet/car.ts'
import { CarStateBadge } from '../fleet/car-state-badge.tsx'
import { formatAge, formatQuantity } from '../language/format.ts'
import { useLanguage, useTexts } from '../language/language.ts'
import classes from './car-list.module.css'
import { mapTexts } from './texts.ts'

interface CarListProps {
  readonly cars: readonly Car[]
  readonly chosenId: string | undefined
  readonly nowMs: number
  readonly onChoose: (id: string) => void
}

const ROW_PX = 58

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
export function CarList({ cars, chosenId, nowMs, onChoose }: CarListProps) {
  const texts = useTexts(mapTexts)
  const scroller = useRef<HTMLDivElement>(null)
  const [activeId, setActiveId] = useState(chosenId)
  const rows = useVirtualizer({
    count: cars.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_PX,
    getItemKey: index => cars[index]?.id ?? index,
    overscan: 6,
  })
  const activeIndex = cars.findIndex(car => car.id === activeId)

  useEffect(() => setActiveId(chosenId), [chosenId])

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
          return (
            car && (
              <UnstyledButton
                key={row.key}
                component="div"
                id={optionId(car.id)}
                role="option"
                aria-selected={car.id === chosenId}
                aria-setsize={cars.length}
                aria-posinset={row.index + 1}
                data-active={car.id === activeId || undefined}
                className={classes.row}
                h={ROW_PX}
                style={{ transform: `translateY(${row.start}px)` }}
                onClick={() => onChoose(car.id)}
              >
                <CarRow car={car} nowMs={nowMs} />
              </UnstyledButton>
            )
          )
        })}
      </Box>
    </Box>
  )
}

function CarRow({ car, nowMs }: { readonly car: Car; readonly nowMs: number }) {
  const texts = useTexts(mapTexts)
  const language = useLanguage()
  const details = [
    car.name === car.makeAndModel ? '' : car.makeAndModel,
    car.speedKmh === undefined ? '' : formatQuantity(car.speedKmh, 'km/h', language, 0),
    car.positionMs === undefined ? texts.noPosition : formatAge(car.positionMs, nowMs, language),
  ]
  return (
    <>
      <Group justify="space-between" wrap="nowrap" gap="xs">
        <Text fw={600} size="sm" truncate>
          {car.name}
        </Text>
        <CarStateBadge state={car.state} />
      </Group>
      <Text size="xs" c="dimmed" truncate>
        {details.filter(Boolean).join(' · ')}
      </Text>
    </>
  )
}

function optionId(carId: string): string {
  return `car-option-${carId}`
}
