import { Alert, Button, Card, Group, Select, SimpleGrid, Stack, Text, TextInput, Title } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useMemo, useState } from 'react'
import { ask } from '../api/request.ts'
import { ConfirmDialog } from '../dialog/confirm-dialog.tsx'
import { nameOfCar } from '../fleet/car.ts'
import { useCarDirectory } from '../fleet/use-car-directory.ts'
import { useTexts } from '../language/language.ts'
import { ErrorAlert } from '../states/error-alert.tsx'
import { OFFERED, useDeviceChoices } from './device-choices.ts'

/** Moves a dongle into another car of the account, now or since some time ago. */
export function MoveDevice() {
  const texts = useTexts('administration')
  const imeis = useDeviceChoices()
  const cars = useCarDirectory()
  const [imei, setImei] = useState<string | null>(null)
  const [vehicleId, setVehicleId] = useState<string | null>(null)
  const [vin, setVin] = useState('')
  const [since, setSince] = useState('')
  const choices = useMemo(
    () =>
      [...cars.values()]
        .filter(car => !car.isHidden)
        .map(car => ({ value: car.id, label: car.vin ? `${car.name} (${car.vin})` : car.name })),
    [cars],
  )
  const move = useMutation({
    mutationFn: () =>
      ask('POST /admin/devices/{deviceId}/move', {
        path: { deviceId: imei ?? '' },
        body: {
          ...(vehicleId === null ? { vin: typedVin } : { vehicleId }),
          ...(since === '' ? {} : { fromTimestamp: new Date(since).toISOString() }),
        },
      }),
  })
  const [isAsking, setAsking] = useState(false)
  const typedVin = vin.trim().toUpperCase()
  const target = vehicleId === null ? [...cars.values()].find(car => car.vin === typedVin) : cars.get(vehicleId)
  const taken = target && target.deviceId !== null && String(target.deviceId) !== imei ? target : undefined
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (taken) setAsking(true)
    else move.mutate()
  }
  return (
    <Card withBorder component="section">
      <form onSubmit={submit}>
        <Stack gap="sm">
          <Title order={2} fz="h4">
            {texts.moveTitle}
          </Title>
          <Text c="dimmed" fz="sm">
            {texts.moveHint}
          </Text>
          <SimpleGrid cols={{ base: 1, xs: 2 }}>
            <Select
              label={texts.dongle}
              data={imeis}
              value={imei}
              onChange={setImei}
              searchable
              required
              limit={OFFERED}
              nothingFoundMessage={texts.nobodyFound}
            />
            <TextInput
              type="datetime-local"
              label={texts.since}
              description={texts.sinceHint}
              // Its field is beside others that have no hint.
              inputWrapperOrder={['label', 'input', 'description', 'error']}
              value={since}
              onChange={event => setSince(event.currentTarget.value)}
            />
            <Select
              label={texts.toCar}
              data={choices}
              value={vehicleId}
              onChange={setVehicleId}
              searchable
              clearable
              limit={OFFERED}
              nothingFoundMessage={texts.nobodyFound}
            />
            <TextInput
              label={texts.orVin}
              autoComplete="off"
              maxLength={17}
              disabled={vehicleId !== null}
              value={vin}
              onChange={event => setVin(event.currentTarget.value)}
            />
          </SimpleGrid>
          <ErrorAlert error={move.error} />
          {move.data && (
            <Alert color="teal" role="status">
              {texts.moved(move.data.deviceId, nameOfCar(cars, move.data.vehicleId))}
            </Alert>
          )}
          <Group justify="flex-end">
            <Button type="submit" loading={move.isPending} disabled={!imei || (vehicleId === null && !vin.trim())}>
              {texts.move}
            </Button>
          </Group>
        </Stack>
      </form>
      {isAsking && taken && imei !== null && (
        <ConfirmDialog
          title={texts.moveQuestion(imei, taken.name)}
          hint={texts.moveConsequences(taken.name, String(taken.deviceId))}
          action={texts.moveAnyway}
          onConfirm={() => move.mutateAsync()}
          onClose={() => setAsking(false)}
        />
      )}
    </Card>
  )
}
