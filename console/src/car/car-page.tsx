import { Button, Group, SimpleGrid, Stack, Text, Title } from '@mantine/core'
import { IconMapPin, IconRoute, IconSteeringWheel } from '@tabler/icons-react'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { useEffect, useRef } from 'react'
import type { Device, Vehicle } from '../api/types.ts'
import { type Car, carOf } from '../fleet/car.ts'
import { isMoving } from '../fleet/car-state.ts'
import { known } from '../fleet/dongle-state.ts'
import { energyText, HealthText, MovementBadge, movementDetail } from '../fleet/state-marks.tsx'
import { factsOf, useCarDirectory, useOtherFacts } from '../fleet/use-cars.ts'
import { useNow, useTexts } from '../language/language.ts'
import { ErrorState, Hint, LoadingState, PageTitle, Part } from '../page/page.tsx'
import { useMay } from '../session/use-session.ts'
import { BatteryCard, DeviceCard, FaultsCard } from './health-cards.tsx'
import { HiddenBanner } from './hidden-cars.tsx'
import { HistoryCard } from './history/history-card.tsx'
import { shownTypes, toggled } from './history/history-search.ts'
import { LatestValuesCard } from './latest-values-card.tsx'
import { SettingsCard } from './settings-card.tsx'
import { vehicleQuery } from './vehicle-queries.ts'
import { TodayCard, WhereCard } from './where-card.tsx'

const route = getRouteApi('/cars/$vehicleId')

/** Everything about one car. */
export function CarPage() {
  const { vehicleId } = route.useParams()
  const navigate = route.useNavigate()
  const client = useQueryClient()
  const { data: vehicle, error, refetch } = useQuery(vehicleQuery(vehicleId))
  const currentId = vehicle?.id
  useEffect(() => {
    if (currentId === undefined || currentId === vehicleId) return
    // With its VIN a car gets another id; the former one still answers (decisions.md, *Vehicles and devices*).
    client.setQueryData(vehicleQuery(currentId).queryKey, before => before ?? vehicle)
    void navigate({ to: '/cars/$vehicleId', params: { vehicleId: currentId }, search: true, replace: true })
  }, [client, navigate, vehicle, currentId, vehicleId])

  if (!vehicle) return error ? <ErrorState error={error} onRetry={() => void refetch()} /> : <LoadingState />
  // Nothing of one car belongs to the next one that a link leads to.
  return <OneCar key={vehicle.id} vehicle={vehicle} />
}

function OneCar({ vehicle }: { readonly vehicle: Vehicle }) {
  const texts = useTexts('history')
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const nowMs = useNow()
  const history = useRef<HTMLDivElement>(null)
  const mayReadEvents = useMay('events')
  const mayChange = useMay('settings')
  const mayReadTrips = useMay('trips')
  const facts = factsOf(vehicle, useOtherFacts(), nowMs)
  const device = known(facts.device)
  const car = carOf(facts, useCarDirectory().get(vehicle.id)?.name)
  const { state } = car
  const charted = mayReadEvents ? shownTypes(search, vehicle) : []
  const onChart = (eventType: string) => {
    const series = toggled(charted, eventType)
    if (series.length > charted.length) history.current?.scrollIntoView({ behavior: 'smooth', block: 'nearest' })
    void navigate({ replace: true, resetScroll: false, search: before => ({ ...before, series: series.join(',') }) })
  }
  return (
    <Stack p="md" gap="md">
      <PageTitle name={car.name} />
      <CarHead car={car} vehicle={vehicle} device={device} nowMs={nowMs} />
      {car.isHidden && <HiddenBanner vehicle={vehicle} />}
      <SimpleGrid cols={{ base: 1, md: mayReadTrips ? 2 : 1 }}>
        <WhereCard car={car} nowMs={nowMs} />
        {mayReadTrips && <TodayCard car={car} nowMs={nowMs} />}
      </SimpleGrid>
      <SimpleGrid cols={{ base: 1, sm: 2, lg: 3 }}>
        <BatteryCard {...{ vehicle, state, nowMs }} />
        <FaultsCard car={car} />
        <DeviceCard {...{ vehicle, state, nowMs, device }} />
      </SimpleGrid>
      <div ref={history} style={{ scrollMarginTop: 64 }}>
        {mayReadEvents ? (
          <HistoryCard vehicle={vehicle} />
        ) : (
          <Part title={texts.title}>
            <Hint>{texts.noPermission}</Hint>
          </Part>
        )}
      </div>
      <LatestValuesCard
        lastEvents={vehicle.lastEvents}
        nowMs={nowMs}
        charted={charted}
        onChart={mayReadEvents && onChart}
      />
      {mayChange && <SettingsCard vehicle={vehicle} />}
    </Stack>
  )
}

interface CarHeadProps {
  readonly car: Car
  readonly vehicle: Vehicle
  readonly device: Device | undefined
  readonly nowMs: number
}

/** Which car it is, what it is doing, where it is, and the ways to its trips and to the map. */
function CarHead({ car, vehicle, device, nowMs }: CarHeadProps) {
  const texts = useTexts('car')
  const mayReadTrips = useMay('trips')
  const { movement, energy } = car.state
  const detail = movementDetail(movement, nowMs)
  const facts = [
    car.makeAndModel === car.name ? '' : car.makeAndModel,
    vehicle.vehicle,
    vehicle.fuelType,
    car.color,
    car.group,
    car.vin === '' ? '' : `${texts.vin} ${car.vin}`,
    car.deviceId === null ? texts.noDongle : `${texts.dongle} ${car.deviceId}`,
    device?.firmwareVersion ? `${texts.firmware} ${device.firmwareVersion}` : '',
  ]
  return (
    <Group justify="space-between" align="start" gap="sm">
      <Stack gap={4} miw={0}>
        <Group gap="sm">
          <Title order={1} fz="h2">
            {car.name}
          </Title>
          <MovementBadge movement={movement.kind} />
          {detail !== '' && <Text fw={movement.kind === 'driving' ? 600 : undefined}>{detail}</Text>}
          {energy && <Text fw={600}>{energyText(energy)}</Text>}
        </Group>
        <Hint>{facts.filter(Boolean).join(' · ')}</Hint>
        <HealthText health={car.state.health} />
      </Stack>
      <Group gap="xs">
        {!car.isHidden && car.state.place.kind !== 'forbidden' && (
          <Button
            variant="default"
            leftSection={<IconMapPin size={16} aria-hidden />}
            renderRoot={props => <Link {...props} to="/map" search={{ car: car.id }} />}
          >
            {texts.showOnMap}
          </Button>
        )}
        {mayReadTrips && (
          <Button
            variant="default"
            leftSection={<IconRoute size={16} aria-hidden />}
            renderRoot={props => <Link {...props} to="/trips" search={{ car: car.id }} />}
          >
            {texts.trips}
          </Button>
        )}
        {mayReadTrips && car.tripId !== '' && (
          <Button
            leftSection={<IconSteeringWheel size={16} aria-hidden />}
            renderRoot={props => <Link {...props} to="/trips/$tripId" params={{ tripId: car.tripId }} />}
          >
            {isMoving(movement) ? texts.currentTrip : texts.lastTrip}
          </Button>
        )}
      </Group>
    </Group>
  )
}
