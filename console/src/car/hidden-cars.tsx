import { Alert, Button, Group, Text } from '@mantine/core'
import { IconEyeOff } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import type { Vehicle } from '../api/types.ts'
import { nameOf } from '../fleet/car.ts'
import { vehiclesQuery } from '../fleet/use-cars.ts'
import { formatDate, useTexts } from '../language/language.ts'
import { PageLink, Part } from '../page/page.tsx'
import { useMay } from '../session/use-session.ts'
import { useChangeSettings } from './vehicle-queries.ts'

interface HiddenBannerProps {
  readonly vehicle: Vehicle
  readonly mayChange: boolean
}

/** Says that a car is hidden, and brings it back. */
export function HiddenBanner({ vehicle, mayChange }: HiddenBannerProps) {
  const texts = useTexts('car')
  const change = useChangeSettings(vehicle.id)
  return (
    <Alert color="yellow" icon={<IconEyeOff size={20} />} role="status">
      <Group justify="space-between">
        <Text fz="sm">{change.error ? change.error.message : texts.hidden}</Text>
        {mayChange && (
          <Button
            size="xs"
            variant="default"
            loading={change.isPending}
            onClick={() => change.mutate({ deleteTimestamp: null })}
          >
            {texts.restore}
          </Button>
        )}
      </Group>
    </Alert>
  )
}

/** The way back to cars that no map and no list shows; nothing while there are none. */
export function HiddenCars() {
  const texts = useTexts('car')
  const mayReadVehicles = useMay('vehicles')
  const { data: vehicles } = useQuery({ ...vehiclesQuery, enabled: mayReadVehicles })
  const hidden = useMemo(() => [...(vehicles?.values() ?? [])].filter(isHiddenCar), [vehicles])
  if (hidden.length === 0) return null
  return (
    <Part title={texts.hiddenCars}>
      {hidden.map(vehicle => (
        <Group key={vehicle.id} gap="sm">
          <PageLink to="/cars/$vehicleId" params={{ vehicleId: vehicle.id }} fz="sm">
            {nameOf(vehicle)}
          </PageLink>
          <Text fz="sm" c="dimmed">
            {texts.hiddenSince(formatDate(Date.parse(vehicle.deleteTimestamp ?? '')))}
          </Text>
        </Group>
      ))}
    </Part>
  )
}

/** The id that a car had before its VIN was known is reported as deleted, too, but with nothing else. */
function isHiddenCar({ deleteTimestamp, deviceId, vin, lastEvents }: Vehicle): boolean {
  return deleteTimestamp !== null && (deviceId !== null || vin !== '' || lastEvents.length > 0)
}
