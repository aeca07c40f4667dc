import { Anchor, Box, Button, Drawer, Flex, VisuallyHidden } from '@mantine/core'
import { useDisclosure, useHotkeys, useMediaQuery } from '@mantine/hooks'
import { IconCar, IconHistory, IconList, IconMapOff } from '@tabler/icons-react'
import { getRouteApi, Link } from '@tanstack/react-router'
import { Suspense, useEffect, useMemo, useState } from 'react'
import type { FoundPlace } from '../api/types.ts'
import { lazyMap, MapButton, MapGround } from '../base-map/lazy-map.tsx'
import { type Car, type CarFilter, filtered } from '../fleet/car.ts'
import { useCars } from '../fleet/use-cars.ts'
import { formatNumber, useTexts } from '../language/language.ts'
import { EmptyState, ErrorState } from '../page/page.tsx'
import { useMay } from '../session/use-session.ts'
import { useTyped } from '../table/filters.tsx'
import { CarCard } from './car-card.tsx'
import { useCarDetails, useFound } from './car-details.ts'
import { CarsPanel, CarsPanelSkeleton } from './cars-panel.tsx'
import type { AddressFilter } from './map-search.ts'
import { minuteOf, TimeBar, useCarsThen } from './time-travel.tsx'

const route = getRouteApi('/map')

const PANEL_PX = 340

const NO_CARS: readonly Car[] = []

const CarsMap = lazyMap(() => import('./cars-map.tsx').then(module => module.CarsMap))

export function MapPage() {
  const texts = useTexts('map')
  const dialog = useTexts('dialog')
  const { car: chosenId, at, lat, lon } = route.useSearch()
  const navigate = route.useNavigate()
  const { filter, onFilter } = useCarFilter()
  const now = useCars()
  const past = useCarsThen(at)
  const { cars, error, refetch } = at === undefined ? now : past
  const maySeePositions = useMay('positions')
  const isWide = useMediaQuery('(min-width: 62em)', undefined, { getInitialValueInEffect: false })
  const [isListOpen, { open: openList, close: closeList }] = useDisclosure(false)
  const chosen = useMemo(() => cars?.find(car => car.id === chosenId), [cars, chosenId])
  const isListed = useAfterPaint(cars !== undefined)
  const details = useCarDetails(cars, isListed)
  const found = useFound(cars, filter.search, details)
  const visible = useMemo(() => found && filtered(found, { ...filter, search: '' }), [found, filter])
  const onChoose = (id: string | undefined) => {
    closeList()
    void navigate({ replace: true, search: before => ({ ...before, car: id, lat: undefined, lon: undefined }) })
  }
  const onPlace = (place: FoundPlace) => {
    closeList()
    void navigate({ replace: true, search: before => ({ ...before, lat: place.lat, lon: place.lon }) })
  }
  const onMinute = (minute: string | undefined) =>
    void navigate({ replace: true, search: before => ({ ...before, at: minute }) })
  useHotkeys([
    [
      'Escape',
      event =>
        event.target instanceof Element && chosen && !event.target.closest('[role=dialog]') && onChoose(undefined),
    ],
  ])

  if (error && !cars) return <ErrorState error={error} onRetry={() => void refetch()} />
  if (cars?.length === 0) return <NoCars />
  const panel =
    cars && visible ? (
      <CarsPanel
        carCount={cars.length}
        visible={visible}
        details={details}
        onPlace={onPlace}
        filter={filter}
        onFilter={onFilter}
        chosenId={chosen?.id}
        onChoose={onChoose}
      />
    ) : (
      <CarsPanelSkeleton />
    )
  const placed = now.cars?.some(({ state }) => state.place.kind === 'at')
  return (
    <Flex h="calc(100dvh - var(--shell-header-height))">
      <VisuallyHidden component="h1">{texts.title}</VisuallyHidden>
      {isWide && (
        <Box
          // Hidden by its style as well: a map that is made before the page has learned of its new width must not lose this room.
          visibleFrom="md"
          w={PANEL_PX}
          style={{ flexShrink: 0, borderRight: '1px solid var(--mantine-color-default-border)' }}
        >
          {panel}
        </Box>
      )}
      <Box pos="relative" flex={1} miw={0}>
        <Suspense fallback={<MapGround />}>
          {!isListed || placed === undefined ? (
            <MapGround />
          ) : !placed ? (
            <NoPositions areForbidden={!maySeePositions} />
          ) : (
            <CarsMap
              all={now.cars ?? NO_CARS}
              cars={visible?.shown ?? NO_CARS}
              lat={lat}
              lon={lon}
              chosen={chosen}
              isPast={at !== undefined && past.cars !== undefined}
              onChoose={onChoose}
            />
          )}
        </Suspense>
        {maySeePositions && at === undefined && (
          <MapButton
            label={texts.everybodyThen}
            icon={IconHistory}
            pos="absolute"
            top={152}
            right={10}
            onClick={() => onMinute(minuteOf(Date.now()))}
          />
        )}
        {at !== undefined && (
          <Box pos="absolute" left={{ base: 12, md: chosen ? 344 : 12 }} right={52} top={12} maw={640}>
            <TimeBar minute={at} onChange={onMinute} />
          </Box>
        )}
        {chosen && (
          <Box
            pos="absolute"
            left={12}
            top={{ base: undefined, md: 12 }}
            bottom={{ base: 84, md: 'auto' }}
            right={{ base: 12, md: 'auto' }}
            w={{ md: 320 }}
          >
            <CarCard key={chosen.id} car={chosen} details={details} onClose={() => onChoose(undefined)} />
          </Box>
        )}
        {!isWide && visible && (
          <>
            <Button
              hiddenFrom="md"
              pos="absolute"
              bottom={36}
              left="50%"
              style={{ transform: 'translateX(-50%)' }}
              radius="xl"
              leftSection={<IconList size={18} aria-hidden />}
              onClick={openList}
            >
              {texts.openList(formatNumber(visible.shown.length))}
            </Button>
            <Drawer
              opened={isListOpen}
              onClose={closeList}
              position="bottom"
              size="80%"
              title={texts.cars}
              closeButtonProps={{ 'aria-label': dialog.close }}
              styles={{
                content: { display: 'flex', flexDirection: 'column' },
                body: { flex: 1, minHeight: 0, padding: 0 },
              }}
            >
              {panel}
            </Drawer>
          </>
        )}
      </Box>
    </Flex>
  )
}

/** Typing goes on this long before the address follows. */
const TYPING_MS = 200

/** What is searched and filtered by, kept in the address. The list and the map follow each letter; the address, when typing has paused. */
function useCarFilter() {
  const { search = '', movement, attention: isAttention = false } = route.useSearch()
  const navigate = route.useNavigate()
  const write = (changed: AddressFilter) =>
    void navigate({ replace: true, search: before => ({ ...before, ...changed }) })
  const { typed, type } = useTyped(search, TYPING_MS, text => write({ search: text || undefined }))
  const filter = useMemo((): CarFilter => ({ search: typed, movement, isAttention }), [typed, movement, isAttention])
  const onFilter = ({ search: text, ...others }: AddressFilter) => {
    if (text !== undefined) type(text)
    if (Object.keys(others).length > 0) write(others)
  }
  return { filter, onFilter }
}

/** What there is to do while no dongle has ever reported. */
function NoCars() {
  const texts = useTexts('map')
  const mayReadDevices = useMay('devices')
  return (
    <EmptyState icon={IconCar} title={texts.noCars} hint={texts.noCarsHint}>
      {mayReadDevices && <Button renderRoot={props => <Link {...props} to="/devices/add" />}>{texts.addDongle}</Button>}
      <Anchor href="/docs" target="_blank">
        {texts.apiDocumentation}
      </Anchor>
    </EmptyState>
  )
}

/** In place of a map of the world without any car. */
function NoPositions({ areForbidden }: { readonly areForbidden: boolean }) {
  const texts = useTexts('map')
  return (
    <EmptyState
      icon={IconMapOff}
      title={areForbidden ? texts.positionsForbidden : texts.noPositions}
      hint={areForbidden ? texts.positionsForbiddenHint : texts.noPositionsHint}
    />
  )
}

/** Whether the page has been painted since a condition became true: work that begins then does not delay it. */
function useAfterPaint(isSo: boolean): boolean {
  const [isPainted, setPainted] = useState(false)
  useEffect(() => {
    if (!isSo) return undefined
    let timer: ReturnType<typeof setTimeout> | undefined
    const frame = requestAnimationFrame(() => {
      timer = setTimeout(() => setPainted(true))
    })
    return () => {
      cancelAnimationFrame(frame)
      clearTimeout(timer)
    }
  }, [isSo])
  return isPainted
}
