import { Popover, Stack, Text, UnstyledButton } from '@mantine/core'
import { nameOfCar } from '../fleet/car.ts'
import type { CarEntry } from '../fleet/use-car-directory.ts'
import { formatNumber } from '../language/format.ts'
import { useLanguage, useTexts } from '../language/language.ts'
import { PageLink } from '../shell/page-link.tsx'

const MOST_SHOWN = 50

interface LampCarsProps {
  readonly vehicleIds: readonly string[]
  readonly cars: ReadonlyMap<string, CarEntry>
}

/** How many cars have their warning lamp on, and which. */
export function LampCars({ vehicleIds, cars }: LampCarsProps) {
  const texts = useTexts('faults')
  const language = useLanguage()
  const count = formatNumber(vehicleIds.length, language)
  if (vehicleIds.length === 0) return count
  const more = vehicleIds.length - MOST_SHOWN
  return (
    <Popover position="bottom-start" trapFocus withArrow>
      <Popover.Target>
        <UnstyledButton fz="inherit" fw="inherit" td="underline dotted" aria-label={texts.lampCars(count)}>
          {count}
        </UnstyledButton>
      </Popover.Target>
      <Popover.Dropdown mah={320} style={{ overflowY: 'auto' }}>
        <Stack gap={6} aria-label={texts.lampOn}>
          {vehicleIds.slice(0, MOST_SHOWN).map(vehicleId => (
            <PageLink key={vehicleId} to="/cars/$vehicleId" params={{ vehicleId }} fz="sm">
              {nameOfCar(cars, vehicleId)}
            </PageLink>
          ))}
          {more > 0 && (
            <Text fz="sm" c="dimmed">
              {texts.lampMore(formatNumber(more, language))}
            </Text>
          )}
        </Stack>
      </Popover.Dropdown>
    </Popover>
  )
}
