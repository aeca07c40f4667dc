import { Alert, Button, Group, Text } from '@mantine/core'
import { IconEyeOff } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import type { Vehicle } from '../api/types.ts'
import { nameOf } from '../fleet/car.ts'
import { vehiclesQuery } from '../fleet/use-cars.ts'
import { formatDate, useTexts } from '../language/language.ts'
import { Hint, PageLink, Part } from '../page/page.tsx'
import { useMay } from '../session/use-session.ts'
import { useChangeSettings } from './vehicle-queries.ts'

/** Says that a car is hidden, and brings it back. */
export function HiddenBanner({ vehicle }: { readonly vehicle: Vehicle }) {
  const texts = useTexts('car')
  const mayChange = useMay('settings')
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
  const hidden = [...(vehicles?.values() ?? [])].filter(isHiddenCar)
  if (hidden.length === 0) return null
  return (
    <Part title={texts.hiddenCars}>
      {hidden.map(vehicle => (
        <Group key={vehicle.id} gap="sm">
          <PageLink to="/cars/$vehicleId" params={{ vehicleId: vehicle.id }} fz="sm">
            {nameOf(vehicle)}
          </PageLink>
          <Hint>{texts.hiddenSince(formatDate(Date.parse(vehicle.deleteTimestamp ?? '')))}</Hint>
        </Group>
      ))}
    </Part>
  )
}

/** The id that a car had before its VIN was known is reported as deleted, too, but with nothing else. */
function isHiddenCar({ deleteTimestamp, deviceId, vin, lastEvents }: Vehicle): boolean {
  return deleteTimestamp !== null && (deviceId !== null || vin !== '' || lastEvents.length > 0)
}
