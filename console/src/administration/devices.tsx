import { Alert, Button, Card, Group, Select, SimpleGrid, Stack, Text, TextInput, Title } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { type FormEvent, useMemo, useState } from 'react'
import { queryClient } from '../api/query-client.ts'
import { ask } from '../api/request.ts'
import { instantOfWall } from '../calendar/days.ts'
import { ConfirmDialog } from '../dialog/dialog.tsx'
import { type CarEntry, nameOfCar } from '../fleet/car.ts'
import { devicesQuery, useCarDirectory, vehiclesQuery } from '../fleet/use-cars.ts'
import { useTexts } from '../language/language.ts'
import { ErrorAlert } from '../page/page.tsx'
import { DateField } from '../table/filters.tsx'
import { imeiDigits, imeiFault } from './imei-fault.ts'

const EMPTY = { imei: '', plate: '', vin: '', make: '', model: '', fuel: '' }

/** Registers a dongle with its car. */
export function RegisterDevice() {
  const texts = useTexts('administration')
  const [fields, setFields] = useState(EMPTY)
  const [asked, setAsked] = useState<string>()
  const fault = imeiFault(fields.imei)
  const register = useMutation({
    mutationFn: ({ imei, plate, vin, make, model, fuel }: typeof EMPTY) =>
      ask('POST /admin/devices', {
        body: {
          deviceId: Number(imeiDigits(imei)),
          anyCheckDigit: fault === 'checkDigit',
          ...withoutEmpty({ licensePlate: plate, vin: vin.toUpperCase(), make, model, fuelType: fuel }),
        },
      }),
    onSuccess: () => {
      setFields(EMPTY)
    },
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (!fault || (fault === 'checkDigit' && asked === fields.imei)) register.mutate(fields)
    else setAsked(fields.imei)
  }
  const field = (name: keyof typeof EMPTY) => ({
    label: texts[name],
    value: fields[name],
    autoComplete: 'off',
    onChange: (event: { readonly currentTarget: { readonly value: string } }) => {
      const { value } = event.currentTarget
      setFields(known => ({ ...known, [name]: value }))
    },
  })
  return (
    <Card withBorder component="section">
      <form onSubmit={submit} noValidate>
        <Stack gap="sm">
          <Title order={2} fz="h4">
            {texts.registerTitle}
          </Title>
          <Text c="dimmed" fz="sm">
            {texts.registerHint}
          </Text>
          <SimpleGrid cols={{ base: 1, xs: 2 }}>
            <TextInput
              {...field('imei')}
              required
              inputMode="numeric"
              error={asked === fields.imei && fault ? texts.imeiFaults[fault] : undefined}
            />
            <TextInput {...field('plate')} />
            <TextInput {...field('vin')} maxLength={17} />
            <TextInput {...field('make')} />
            <TextInput {...field('model')} />
            <TextInput {...field('fuel')} />
          </SimpleGrid>
          <ErrorAlert error={register.error} />
          {register.data && (
            <Alert color="teal" role="status">
              {texts.registered(register.data.deviceId)}
            </Alert>
          )}
          <Group justify="flex-end">
            <Button type="submit" loading={register.isPending}>
              {texts.register}
            </Button>
          </Group>
        </Stack>
      </form>
    </Card>
  )
}

function withoutEmpty<Name extends string>(fields: Readonly<Record<Name, string>>): Partial<Record<Name, string>> {
  const given = Object.entries<string>(fields).map(([name, value]) => [name, value.trim()] as const)
  return Object.fromEntries(given.filter(([, value]) => value !== '')) as Partial<Record<Name, string>>
}

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
          ...(since === ''
            ? {}
            : { fromTimestamp: new Date(instantOfWall(Date.parse(`${since.replace(' ', 'T')}Z`))).toISOString() }),
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
            <DateField
              hasTime
              label={texts.since}
              description={texts.sinceHint}
              // Its field is beside others that have no hint.
              inputWrapperOrder={['label', 'input', 'description', 'error']}
              value={since}
              onChange={setSince}
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

/** Deletes a dongle with everything that it measured, after saying what that is. */
export function DeleteDevice() {
  const texts = useTexts('administration')
  const [imei, setImei] = useState<string | null>(null)
  const [isAsking, setAsking] = useState(false)
  const [deleted, setDeleted] = useState<string>()
  const choices = useDeviceChoices()
  const carName = choices.find(({ value }) => value === imei)?.carName
  const remove = async () => {
    if (imei === null) return
    await ask('DELETE /admin/devices/{deviceId}', { path: { deviceId: imei } })
    setDeleted(imei)
    setImei(null)
    setAsking(false)
    // The live stream does not report deleted dongles.
    for (const { queryKey } of [devicesQuery, vehiclesQuery]) void queryClient.invalidateQueries({ queryKey })
  }
  return (
    <Card withBorder component="section">
      <Stack gap="sm">
        <Title order={2} fz="h4">
          {texts.deleteTitle}
        </Title>
        <Text c="dimmed" fz="sm">
          {texts.deleteHint}
        </Text>
        <Select
          label={texts.dongleToDelete}
          data={choices}
          value={imei}
          onChange={setImei}
          searchable
          clearable
          limit={OFFERED}
          nothingFoundMessage={texts.nobodyFound}
        />
        {deleted !== undefined && (
          <Alert color="teal" role="status">
            {texts.deleted(deleted)}
          </Alert>
        )}
        <Group justify="flex-end">
          <Button color="red" disabled={imei === null} onClick={() => setAsking(true)}>
            {texts.deleteDongle}
          </Button>
        </Group>
      </Stack>
      {isAsking && imei !== null && (
        <ConfirmDialog
          title={texts.deleteQuestion(imei)}
          hint={texts.deleteConsequences(carName)}
          action={texts.deleteForGood}
          onConfirm={remove}
          onClose={() => setAsking(false)}
        />
      )}
    </Card>
  )
}

/** A select shows at most this many of what matches. */
const OFFERED = 50

/** The dongles of the account with the cars that they are in, for a select. */
function useDeviceChoices() {
  const { data: devices } = useQuery(devicesQuery)
  const cars = useCarDirectory()
  return useMemo(
    () =>
      [...(devices?.values() ?? [])].map(({ id, vehicleId }) => {
        const carName = ownNameOf(cars.get(vehicleId), id)
        return { value: String(id), label: carName === undefined ? String(id) : `${id} (${carName})`, carName }
      }),
    [devices, cars],
  )
}

/** undefined when the car has no name, so that it is called by its dongle. */
function ownNameOf(car: CarEntry | undefined, imei: number): string | undefined {
  return car === undefined || car.name === String(imei) ? undefined : car.name
}
