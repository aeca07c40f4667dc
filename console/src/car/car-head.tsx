import { Button, Group, Stack, Text, Title } from '@mantine/core'
import { IconMapPin, IconRoute, IconSteeringWheel } from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import type { Device, Vehicle } from '../api/types.ts'
import type { Car } from '../fleet/car.ts'
import { isMoving } from '../fleet/car-state.ts'
import { HealthText, MovementBadge } from '../fleet/state-marks.tsx'
import { energyText, movementDetail } from '../fleet/state-words.ts'
import { useLanguage, useTexts } from '../language/language.ts'
import { useMay } from '../session/use-session.ts'

interface CarHeadProps {
  readonly car: Car
  readonly vehicle: Vehicle
  readonly device: Device | undefined
  readonly nowMs: number
}

/** Which car it is, what it is doing, where it is, and the ways to its trips and to the map. */
export function CarHead({ car, vehicle, device, nowMs }: CarHeadProps) {
  const texts = useTexts('car')
  const mayReadTrips = useMay('trips')
  const language = useLanguage()
  const { movement, energy } = car.state
  const detail = movementDetail(movement, nowMs, language)
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
          {energy && <Text fw={600}>{energyText(energy, language)}</Text>}
        </Group>
        <Text c="dimmed" fz="sm">
          {facts.filter(Boolean).join(' · ')}
        </Text>
        <HealthText health={car.state.health} />
      </Stack>
      <Group gap="xs">
        {!car.isHidden && car.state.place.kind !== 'forbidden' && (
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
            {isMoving(movement) ? texts.currentTrip : texts.lastTrip}
          </Button>
        )}
      </Group>
    </Group>
  )
}
