import { Alert, Button, Group, Stack, Text, TextInput, Title } from '@mantine/core'
import { IconCircleCheck } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { type FormEvent, type ReactNode, useState } from 'react'
import type { Vehicle } from '../api/types.ts'
import { useChangeSettings } from '../car/use-change-settings.ts'
import { dongleStateOf } from '../fleet/dongle-state.ts'
import { devicesQuery, vehiclesQuery } from '../fleet/fleet-queries.ts'
import { known, learned } from '../fleet/learned.ts'
import { useNow } from '../fleet/use-now.ts'
import { useTexts } from '../language/language.ts'
import { useIsAllowed, useMay } from '../session/use-session.ts'
import { PageLink } from '../shell/page-link.tsx'
import { ErrorAlert } from '../states/error-alert.tsx'

interface FirstContactProps {
  readonly imei: number
  /** Moves while nothing has come yet. */
  readonly waiting: ReactNode
}

/** Whether a dongle has reported, live; as soon as it has, its car can be named. */
export function FirstContact({ imei, waiting }: FirstContactProps) {
  const texts = useTexts('addDongle')
  const mayAdminister = useMay('administration')
  const mayReadVehicles = useIsAllowed('vehicles')
  const nowMs = useNow()
  const { data: devices } = useQuery(devicesQuery)
  const { data: vehicles } = useQuery({ ...vehiclesQuery, enabled: mayReadVehicles === true })
  const device = devices?.get(imei)
  const vehicle = device && vehicles?.get(device.vehicleId)
  const events = learned(mayReadVehicles, vehicles && (vehicle?.lastEvents ?? []))
  const { contact } = dongleStateOf({ device: learned(true, device), events, isInTrip: false, nowMs })
  const hasReported = contact.kind !== 'never' && contact.kind !== 'unknown' && contact.kind !== 'offline'
  if (!hasReported)
    return (
      <Stack gap="xs">
        <Group gap="sm">
          {waiting}
          <Text>{texts.waiting(String(imei))}</Text>
        </Group>
        <Text fz="sm" c="dimmed">
          {`${texts.waitingHint} ${mayAdminister ? texts.refusedHint : ''}`}
        </Text>
      </Stack>
    )
  const hasValues = (known(events)?.length ?? 0) > 0
  return (
    <Stack gap="sm">
      <Alert color="teal" icon={<IconCircleCheck size={20} />}>
        {(hasValues ? texts.here : texts.hereWithoutValues)(String(imei))}
      </Alert>
      {vehicle ? <NameCar vehicle={vehicle} /> : <Text fz="sm">{texts.nameLater}</Text>}
    </Stack>
  )
}

function NameCar({ vehicle }: { readonly vehicle: Vehicle }) {
  const texts = useTexts('addDongle')
  const mayChange = useMay('settings')
  const [plate, setPlate] = useState(vehicle.licensePlate)
  const change = useChangeSettings(vehicle.id)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    change.mutate({ numberPlate: plate.trim() })
  }
  return (
    <Stack gap="sm">
      {mayChange && (
        <form onSubmit={submit}>
          <Stack gap="sm">
            <Title order={3} fz="h5">
              {texts.nameTitle}
            </Title>
            <Group align="end" gap="sm">
              <TextInput
                label={texts.plate}
                value={plate}
                maxLength={50}
                onChange={event => setPlate(event.currentTarget.value)}
              />
              <Button type="submit" variant="default" loading={change.isPending}>
                {texts.save}
              </Button>
            </Group>
            <ErrorAlert error={change.error} />
            {change.isSuccess && <Text fz="sm">{texts.saved}</Text>}
          </Stack>
        </form>
      )}
      <PageLink to="/cars/$vehicleId" params={{ vehicleId: vehicle.id }}>
        {texts.openCar}
      </PageLink>
    </Stack>
  )
}
