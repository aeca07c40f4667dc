import { Button, CloseButton, Group, Paper, Text, Title } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { useNameAt } from '../areas/areas-query.ts'
import { useParkingTrip } from '../car/vehicle-queries.ts'
import type { Car } from '../fleet/car.ts'
import { isMoving } from '../fleet/car-state.ts'
import { energyText, HealthText, MovementBadge, movementDetail, parkedText } from '../fleet/state-marks.tsx'
import { formatAge, useNow, useTexts } from '../language/language.ts'
import { useMay } from '../session/use-session.ts'
import { shortAddress } from '../trips/short-address.ts'
import type { CarDetails } from './car-details.ts'

interface CarCardProps {
  readonly car: Car
  readonly details: CarDetails
  readonly onClose: () => void
}

/** What is known of the chosen car at a glance, and the ways to more. */
export function CarCard({ car, details, onClose }: CarCardProps) {
  const texts = useTexts('map')
  const dialog = useTexts('dialog')
  const states = useTexts('carState')
  const readMs = useNow()
  const { past } = car
  const nowMs = past?.atMs ?? readMs
  const { movement, health, place, energy } = car.state
  const nameAt = useNameAt()
  const mayReadTrips = useMay('trips')
  const { trip, parkedFor } = useParkingTrip(car, nowMs, !past)
  const tripId = car.tripId || trip?.id
  const named = place.kind === 'at' ? nameAt({ lat: place.latitude, lon: place.longitude }) : ''
  const ended = place.kind === 'at' && trip?.tripEndAddress ? shortAddress(trip.tripEndAddress, '') : ''
  const where = named || ended || details.addressOf(car)
  const looks = [car.makeAndModel === car.name ? '' : car.makeAndModel, car.color, car.group].filter(Boolean)
  const facts = [
    movementDetail(movement, nowMs),
    past?.sinceMs !== undefined && movement.kind === 'parked' ? parkedText(past.sinceMs, nowMs) : parkedFor,
    energy ? energyText(energy) : '',
    place.kind === 'at'
      ? `${texts.position}: ${formatAge(place.measuredMs, nowMs)}`
      : place.kind === 'forbidden'
        ? states.noPositionPermission
        : states.noPosition,
  ]
  return (
    <Paper component="section" aria-label={texts.chosenCar} shadow="md" withBorder p="sm">
      <Group justify="space-between" wrap="nowrap" align="start" gap="xs">
        <Title order={2} fz="md" lineClamp={2}>
          {car.name}
        </Title>
        <Group gap={4} wrap="nowrap">
          <MovementBadge movement={movement.kind} />
          <CloseButton size="sm" aria-label={dialog.close} onClick={onClose} />
        </Group>
      </Group>
      {looks.length > 0 && <Text size="sm">{looks.join(' · ')}</Text>}
      {where && <Text size="sm">{where}</Text>}
      <Text size="sm" c="dimmed">
        {facts.filter(Boolean).join(' · ')}
      </Text>
      {!past && <HealthText health={health} />}
      <Group gap="xs" mt="xs">
        <Button
          size="xs"
          renderRoot={props => <Link {...props} to="/cars/$vehicleId" params={{ vehicleId: car.id }} />}
        >
          {texts.openCar}
        </Button>
        {mayReadTrips && tripId && (
          <Button
            size="xs"
            variant="light"
            renderRoot={props => <Link {...props} to="/trips/$tripId" params={{ tripId }} />}
          >
            {past ? texts.tripThen : isMoving(movement) ? texts.currentTrip : texts.lastTrip}
          </Button>
        )}
      </Group>
    </Paper>
  )
}
