import { Card, SimpleGrid, Stack, Text } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { useEffect, useRef } from 'react'
import type { Vehicle } from '../api/types.ts'
import { carOf } from '../fleet/car.ts'
import { learned } from '../fleet/dongle-state.ts'
import { useCarDirectory } from '../fleet/use-car-directory.ts'
import { useOtherFacts } from '../fleet/use-cars.ts'
import { useNow } from '../fleet/use-now.ts'
import { useTexts } from '../language/language.ts'
import { useMay } from '../session/use-session.ts'
import { PageTitle } from '../shell/page-title.tsx'
import { ErrorState } from '../states/error-state.tsx'
import { LoadingState } from '../states/loading-state.tsx'
import { BatteryCard } from './battery-card.tsx'
import { CarHead } from './car-head.tsx'
import { DeviceCard } from './device-card.tsx'
import { driveBatteryOf } from './drive-battery.ts'
import { DriveBatteryCard } from './drive-battery-card.tsx'
import { FaultsCard } from './faults-card.tsx'
import { HiddenBanner } from './hidden-banner.tsx'
import { HistoryCard } from './history/history-card.tsx'
import { shownTypes, toggled } from './history/shown-types.ts'
import { LatestValuesCard } from './latest-values-card.tsx'
import { SettingsCard } from './settings-card.tsx'
import { TodayCard } from './today-card.tsx'
import { vehicleQuery } from './vehicle-queries.ts'
import { WhereCard } from './where-card.tsx'

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
    client.setQueryData(vehicleQuery(currentId).queryKey, known => known ?? vehicle)
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
  const { deviceId } = vehicle
  const { devices, mayReadDevices, mayReadPositions, codes } = useOtherFacts()
  const device = deviceId === null ? undefined : devices?.get(deviceId)
  const told = learned(mayReadDevices, devices)
  const facts = {
    vehicle,
    device: told.is === 'known' ? ({ is: 'known', value: device } as const) : told,
    codes: codes.of(vehicle.id),
    mayReadPositions,
    nowMs,
  }
  const entry = useCarDirectory().get(vehicle.id)
  const car = carOf(facts, entry?.name)
  const driveBattery = driveBatteryOf(vehicle.lastEvents)
  const charted = mayReadEvents ? shownTypes(search, vehicle) : []
  const onChart = (eventType: string) => {
    const series = toggled(charted, eventType)
    if (series.length > charted.length) history.current?.scrollIntoView({ behavior: 'smooth', block: 'nearest' })
    void navigate({ replace: true, resetScroll: false, search: before => ({ ...before, series: series.join(',') }) })
  }
  const toChart = mayReadEvents ? onChart : undefined
  return (
    <Stack p="md" gap="md">
      <PageTitle name={car.name} />
      <CarHead car={car} vehicle={vehicle} device={device} nowMs={nowMs} />
      {car.isHidden && <HiddenBanner vehicle={vehicle} mayChange={mayChange} />}
      <SimpleGrid cols={{ base: 1, md: mayReadTrips ? 2 : 1 }}>
        <WhereCard car={car} nowMs={nowMs} />
        {mayReadTrips && <TodayCard vehicleId={vehicle.id} entry={entry} nowMs={nowMs} />}
      </SimpleGrid>
      <SimpleGrid cols={{ base: 1, sm: 2, lg: 3 }}>
        {driveBattery ? (
          <DriveBatteryCard battery={driveBattery} lastEvents={vehicle.lastEvents} nowMs={nowMs} />
        ) : (
          <BatteryCard lastEvents={vehicle.lastEvents} nowMs={nowMs} />
        )}
        <FaultsCard vehicle={vehicle} state={car.state} />
        <DeviceCard vehicle={vehicle} device={device} state={car.state} nowMs={nowMs} />
      </SimpleGrid>
      <div ref={history} style={{ scrollMarginTop: 64 }}>
        {mayReadEvents ? (
          <HistoryCard vehicle={vehicle} />
        ) : (
          <Card withBorder>
            <Text c="dimmed">{texts.noPermission}</Text>
          </Card>
        )}
      </div>
      <LatestValuesCard lastEvents={vehicle.lastEvents} nowMs={nowMs} charted={charted} onChart={toChart} />
      {mayChange && <SettingsCard vehicle={vehicle} />}
    </Stack>
  )
}
