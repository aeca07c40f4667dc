import { Button, CloseButton, Group, Paper, Text, Title } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import type { Car } from '../fleet/car.ts'
import { CarStateBadge } from '../fleet/car-state-badge.tsx'
import { useNow } from '../fleet/use-now.ts'
import { formatAge, formatQuantity } from '../language/format.ts'
import { useLanguage, useTexts } from '../language/language.ts'
import { mapTexts } from './texts.ts'

/** What is known of the chosen car at a glance, and the ways to more. */
export function CarCard({ car, onClose }: { readonly car: Car; readonly onClose: () => void }) {
  const texts = useTexts(mapTexts)
  const language = useLanguage()
  const nowMs = useNow()
  const facts = [
    car.speedKmh === undefined ? '' : formatQuantity(car.speedKmh, 'km/h', language, 0),
    car.positionMs === undefined
      ? texts.noPosition
      : `${texts.position}: ${formatAge(car.positionMs, nowMs, language)}`,
  ]
  return (
    <Paper component="section" aria-label={texts.chosenCar} shadow="md" withBorder p="sm">
      <Group justify="space-between" wrap="nowrap" align="start" gap="xs">
        <Title order={2} fz="md" lineClamp={2}>
          {car.name}
        </Title>
        <Group gap={4} wrap="nowrap">
          <CarStateBadge state={car.state} />
          <CloseButton size="sm" aria-label={texts.close} onClick={onClose} />
        </Group>
      </Group>
      {car.makeAndModel !== car.name && car.makeAndModel !== '' && <Text size="sm">{car.makeAndModel}</Text>}
      <Text size="sm" c="dimmed">
        {facts.filter(Boolean).join(' · ')}
      </Text>
      <Group gap="xs" mt="xs">
        <Button
          size="xs"
          renderRoot={props => <Link {...props} to="/cars/$vehicleId" params={{ vehicleId: car.id }} />}
        >
          {texts.openCar}
        </Button>
        {car.tripId !== '' && (
          <Button
            size="xs"
            variant="light"
            renderRoot={props => <Link {...props} to="/trips/$tripId" params={{ tripId: car.tripId }} />}
          >
            {texts.currentTrip}
          </Button>
        )}
      </Group>
    </Paper>
  )
}
