import { Box, Flex, VisuallyHidden } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import { getRouteApi } from '@tanstack/react-router'
import { Suspense, useCallback, useMemo } from 'react'
import { lazyMap } from '../base-map/lazy-map.tsx'
import type { Car } from '../fleet/car.ts'
import { filtered } from '../fleet/in-order.ts'
import { useCars } from '../fleet/use-cars.ts'
import { useTexts } from '../language/language.ts'
import { ErrorState } from '../states/error-state.tsx'
import { CarCard } from './car-card.tsx'
import { CarsPanel } from './cars-panel.tsx'
import { CarsPanelSkeleton } from './cars-panel-skeleton.tsx'
import { ListDrawer } from './list-drawer.tsx'
import { MapGround } from './map-ground.tsx'
import { NoCars } from './no-cars.tsx'
import { useAfterPaint } from './use-after-paint.ts'
import { useCarFilter } from './use-car-filter.ts'
import { useEscape } from './use-escape.ts'

const route = getRouteApi('/')

const PANEL_PX = 340

const NO_CARS: readonly Car[] = []

const CarsMap = lazyMap(() => import('./cars-map.tsx').then(module => module.CarsMap))

export function MapPage() {
  const texts = useTexts('map')
  const { car: chosenId } = route.useSearch()
  const navigate = route.useNavigate()
  const { filter, onFilter } = useCarFilter()
  const { cars, error, refetch } = useCars()
  const isWide = useMediaQuery('(min-width: 62em)', undefined, { getInitialValueInEffect: false })
  const chosen = useMemo(() => cars?.find(car => car.id === chosenId), [cars, chosenId])
  const visible = useMemo(() => cars && filtered(cars, filter), [cars, filter])
  const isListed = useAfterPaint(cars !== undefined)
  const onChoose = useCallback(
    (id: string | undefined) => void navigate({ replace: true, search: before => ({ ...before, car: id }) }),
    [navigate],
  )
  useEscape(chosen !== undefined, () => onChoose(undefined))

  if (error && !cars) return <ErrorState error={error} onRetry={() => void refetch()} />
  if (cars?.length === 0) return <NoCars />
  const panel = (choose: (id: string | undefined) => void) =>
    cars && visible ? (
      <CarsPanel
        carCount={cars.length}
        shown={visible.shown}
        counts={visible.counts}
        filter={filter}
        onFilter={onFilter}
        chosenId={chosen?.id}
        onChoose={choose}
      />
    ) : (
      <CarsPanelSkeleton />
    )
  return (
    <Flex h="calc(100dvh - var(--shell-header-height))">
      <VisuallyHidden component="h1">{texts.title}</VisuallyHidden>
      {isWide && (
        <Box w={PANEL_PX} style={{ flexShrink: 0, borderRight: '1px solid var(--mantine-color-default-border)' }}>
          {panel(onChoose)}
        </Box>
      )}
      <Box pos="relative" flex={1} miw={0}>
        <Suspense fallback={<MapGround />}>
          {isListed ? <CarsMap cars={visible?.shown ?? NO_CARS} chosen={chosen} onChoose={onChoose} /> : <MapGround />}
        </Suspense>
        {chosen && (
          <Box
            pos="absolute"
            left={12}
            top={{ base: undefined, md: 12 }}
            bottom={{ base: 84, md: 'auto' }}
            right={{ base: 12, md: 'auto' }}
            w={{ md: 320 }}
          >
            <CarCard key={chosen.id} car={chosen} onClose={() => onChoose(undefined)} />
          </Box>
        )}
        {!isWide && visible && (
          <ListDrawer
            count={visible.shown.length}
            list={close =>
              panel(id => {
                close()
                onChoose(id)
              })
            }
          />
        )}
      </Box>
    </Flex>
  )
}
