import { ActionIcon, Anchor, Box, Button, Drawer, Flex, VisuallyHidden } from '@mantine/core'
import { useDisclosure, useHotkeys, useMediaQuery } from '@mantine/hooks'
import { IconCar, IconHistory, IconList, IconMapOff } from '@tabler/icons-react'
import { getRouteApi, Link, useRouter } from '@tanstack/react-router'
import { type ReactNode, Suspense, useCallback, useEffect, useMemo, useState } from 'react'
import type { FoundPlace } from '../api/types.ts'
import { lazyMap, MapGround } from '../base-map/lazy-map.tsx'
import { type Car, type CarFilter, filtered } from '../fleet/car.ts'
import { useCars } from '../fleet/use-cars.ts'
import { formatNumber, useTexts } from '../language/language.ts'
import { EmptyState, ErrorState } from '../page/page.tsx'
import { useMay } from '../session/use-session.ts'
import { useTyped } from '../table/filters.tsx'
import { CarCard } from './car-card.tsx'
import { useCarDetails, useFound } from './car-details.ts'
import { CarsPanel, CarsPanelSkeleton } from './cars-panel.tsx'
import { minuteOf, TimeBar, useCarsThen } from './time-travel.tsx'

const route = getRouteApi('/map')

const PANEL_PX = 340

const NO_CARS: readonly Car[] = []

const CarsMap = lazyMap(() => import('./cars-map.tsx').then(module => module.CarsMap))

export function MapPage() {
  const texts = useTexts('map')
  const { car: chosenId, at } = route.useSearch()
  const navigate = route.useNavigate()
  const { filter, onFilter } = useCarFilter()
  const now = useCars()
  const past = useCarsThen(at)
  const { cars, error, refetch } = at === undefined ? now : past
  const maySeePositions = useMay('positions')
  const isWide = useMediaQuery('(min-width: 62em)', undefined, { getInitialValueInEffect: false })
  const chosen = useMemo(() => cars?.find(car => car.id === chosenId), [cars, chosenId])
  const isListed = useAfterPaint(cars !== undefined)
  const details = useCarDetails(cars, isListed)
  const found = useFound(cars, filter.search, details)
  const visible = useMemo(() => found && filtered(found, { ...filter, search: '' }), [found, filter])
  const [target, setTarget] = useState<FoundPlace>()
  const onChoose = useCallback(
    (id: string | undefined) => void navigate({ replace: true, search: before => ({ ...before, car: id }) }),
    [navigate],
  )
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
  const panel = (choose: (id: string | undefined) => void, goTo: (place: FoundPlace) => void) =>
    cars && visible ? (
      <CarsPanel
        carCount={cars.length}
        shown={visible.shown}
        counts={visible.counts}
        details={details}
        onPlace={goTo}
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
          {panel(onChoose, setTarget)}
        </Box>
      )}
      <Box pos="relative" flex={1} miw={0}>
        <Suspense fallback={<MapGround />}>
          {!isListed ? (
            <MapGround />
          ) : !cars || at !== undefined || cars.some(({ state }) => state.place.kind === 'at') ? (
            <CarsMap
              all={cars ?? NO_CARS}
              cars={visible?.shown ?? NO_CARS}
              target={target}
              chosen={chosen}
              onChoose={onChoose}
            />
          ) : (
            <NoPositions areForbidden={cars.some(({ state }) => state.place.kind === 'forbidden')} />
          )}
        </Suspense>
        {maySeePositions && at === undefined && (
          <ActionIcon
            variant="default"
            pos="absolute"
            top={152}
            right={10}
            size={31}
            aria-label={texts.everybodyThen}
            title={texts.everybodyThen}
            onClick={() => onMinute(minuteOf(Date.now()))}
          >
            <IconHistory size={17} stroke={1.8} />
          </ActionIcon>
        )}
        {at !== undefined && (
          <Box pos="absolute" left={{ base: 12, md: 344 }} right={52} top={12} maw={640}>
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
            <CarCard key={chosen.id} car={chosen} onClose={() => onChoose(undefined)} />
          </Box>
        )}
        {!isWide && visible && (
          <ListDrawer
            count={visible.shown.length}
            list={close =>
              panel(
                id => {
                  close()
                  onChoose(id)
                },
                place => {
                  close()
                  setTarget(place)
                },
              )
            }
          />
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
  const { history } = useRouter()
  const { typed, type } = useTyped(search, TYPING_MS, text => {
    // The last typed text must not undo a navigation to another page.
    if (history.location.pathname !== '/map') return
    void navigate({ replace: true, search: before => ({ ...before, search: text || undefined }) })
  })
  const filter = useMemo((): CarFilter => ({ search: typed, movement, isAttention }), [typed, movement, isAttention])
  const onFilter = useCallback(
    (changed: Partial<CarFilter>) => {
      if (changed.search !== undefined) type(changed.search)
      if (!('movement' in changed) && !('isAttention' in changed)) return
      void navigate({
        replace: true,
        search: before => ({
          ...before,
          ...('movement' in changed ? { movement: changed.movement } : {}),
          ...('isAttention' in changed ? { attention: changed.isAttention ? (true as const) : undefined } : {}),
        }),
      })
    },
    [navigate, type],
  )
  return { filter, onFilter }
}

interface ListDrawerProps {
  /** How many cars are in the list. */
  readonly count: number
  /** The list; choosing a car in it closes the drawer. */
  readonly list: (close: () => void) => ReactNode
}

/** The list on a phone: a button on the map opens it, over the map. */
function ListDrawer({ count, list }: ListDrawerProps) {
  const texts = useTexts('map')
  const dialog = useTexts('dialog')
  const [isOpen, { open, close }] = useDisclosure(false)
  return (
    <>
      <Button
        pos="absolute"
        bottom={36}
        left="50%"
        style={{ transform: 'translateX(-50%)' }}
        radius="xl"
        leftSection={<IconList size={18} aria-hidden />}
        onClick={open}
      >
        {texts.openList(formatNumber(count))}
      </Button>
      <Drawer
        opened={isOpen}
        onClose={close}
        position="bottom"
        size="80%"
        title={texts.cars}
        closeButtonProps={{ 'aria-label': dialog.close }}
        styles={{
          content: { display: 'flex', flexDirection: 'column' },
          body: { flex: 1, minHeight: 0, padding: 0 },
        }}
      >
        {list(close)}
      </Drawer>
    </>
  )
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
