import { Button, Group, Stack, Text, Title } from '@mantine/core'
import { IconMapPin, IconRoute, IconSteeringWheel } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { Device, Vehicle } from '../api/types.ts'
import type { Car } from '../fleet/car.ts'
import { CarStateBadge } from '../fleet/car-state-badge.tsx'
import { formatAge, formatQuantity } from '../language/format.ts'
import { useLanguage, useTexts } from '../language/language.ts'
import { valueText } from '../measurements/value-text.ts'
import { useMay } from '../session/use-session.ts'
import { shortAddress } from '../trips/short-address.ts'
import { carTexts } from './texts.ts'
import { newestTripQuery } from './vehicle-queries.ts'

interface CarHeadProps {
  readonly car: Car
  readonly vehicle: Vehicle
  readonly device: Device | undefined
  readonly nowMs: number
}

/** Which car it is, what it is doing, where it is, and the ways to its trips and to the map. */
export function CarHead({ car, vehicle, device, nowMs }: CarHeadProps) {
  const texts = useTexts(carTexts)
  const mayReadTrips = useMay('trips')
  const language = useLanguage()
  const facts = [
    car.makeAndModel === car.name ? '' : car.makeAndModel,
    vehicle.vehicle,
    vehicle.fuelType,
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
          <CarStateBadge state={car.state} />
          {car.speedKmh !== undefined && <Text fw={600}>{formatQuantity(car.speedKmh, 'km/h', language, 0)}</Text>}
        </Group>
        <Text c="dimmed" fz="sm">
          {facts.filter(Boolean).join(' · ')}
        </Text>
        <Whereabouts car={car} vehicle={vehicle} nowMs={nowMs} />
      </Stack>
      <Group gap="xs">
        {!car.isHidden && (
          <Button
            variant="default"
            leftSection={<IconMapPin size={16} aria-hidden />}
            renderRoot={props => <Link {...props} to="/" search={{ car: car.id }} />}
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
            {texts.currentTrip}
          </Button>
        )}
      </Group>
    </Group>
  )
}

/** A parked car is where its last trip ended; one that drives is at its coordinates. Nothing without positions. */
function Whereabouts({ car, vehicle, nowMs }: Pick<CarHeadProps, 'car' | 'vehicle' | 'nowMs'>) {
  const texts = useTexts(carTexts)
  const language = useLanguage()
  const mayReadTrips = useMay('trips')
  const mayReadPositions = useMay('positions')
  const { data: trip } = useQuery({ ...newestTripQuery(vehicle.id), enabled: mayReadTrips && mayReadPositions })
  if (!mayReadPositions) return null
  const address = trip && car.tripId === '' && trip.tripEndAddress ? shortAddress(trip.tripEndAddress, '') : ''
  const position = vehicle.lastEvents.find(event => event.eventType === 'POSITION')
  return (
    <Text fz="sm">
      {trip && address !== ''
        ? texts.lastTripEnded(address, formatAge(Date.parse(trip.tripEndTimestamp), nowMs, language))
        : position
          ? texts.isAt(
              valueText(position, language),
              formatAge(Date.parse(position.recordedTimestamp), nowMs, language),
            )
          : texts.noPosition}
    </Text>
  )
}
