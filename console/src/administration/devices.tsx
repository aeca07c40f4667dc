import { Select, type SelectProps, SimpleGrid, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { queryClient } from '../api/query-client.ts'
import { ask } from '../api/request.ts'
import { instantOfWall } from '../calendar/days.ts'
import { FormCard } from '../dialog/dialog.tsx'
import { nameOfCar } from '../fleet/car.ts'
import { devicesQuery, useCarDirectory, vehiclesQuery } from '../fleet/use-cars.ts'
import { useTexts } from '../language/language.ts'
import { DateField } from '../table/filters.tsx'
import { useImei } from './imei.ts'

/** The dongles of the account with their cars: one comes, moves or goes. */
export function DevicesTab() {
  return (
    <SimpleGrid cols={{ base: 1, lg: 2 }}>
      <RegisterDevice />
      <MoveDevice />
      <DeleteDevice />
    </SimpleGrid>
  )
}

const EMPTY = { licensePlate: '', vin: '', make: '', model: '', fuelType: '' }

/** Registers a dongle with its car. */
function RegisterDevice() {
  const texts = useTexts('administration')
  const { number, field, isGood, clear } = useImei()
  const form = useForm({ initialValues: EMPTY, transformValues: withoutEmpty })
  const register = async () => {
    const { deviceId } = await ask('POST /admin/devices', { body: { ...number, ...form.getTransformedValues() } })
    clear()
    form.reset()
    return texts.registered(deviceId)
  }
  return (
    <FormCard
      title={texts.registerTitle}
      hint={texts.registerHint}
      action={texts.register}
      isGood={isGood}
      onSave={register}
    >
      <SimpleGrid cols={{ base: 1, xs: 2 }}>
        <TextInput label={texts.imei} withAsterisk aria-required {...field} />
        {(Object.keys(EMPTY) as (keyof typeof EMPTY)[]).map(name => (
          <TextInput
            key={name}
            label={texts[name]}
            autoComplete="off"
            maxLength={name === 'vin' ? VIN_LENGTH : undefined}
            {...form.getInputProps(name)}
          />
        ))}
      </SimpleGrid>
    </FormCard>
  )
}

const VIN_LENGTH = 17

function withoutEmpty({ vin, ...others }: typeof EMPTY): Partial<typeof EMPTY> {
  const given = Object.entries({ vin: vin.toUpperCase(), ...others }).map(([name, value]) => [name, value.trim()])
  return Object.fromEntries(given.filter(([, value]) => value !== ''))
}

/** Moves a dongle into another car of the account, now or since some time ago. */
function MoveDevice() {
  const texts = useTexts('administration')
  const dongles = useDongles()
  const cars = useCarDirectory()
  const form = useForm<{ imei: string | null; vehicleId: string | null; vin: string; since: string }>({
    initialValues: { imei: null, vehicleId: null, vin: '', since: '' },
  })
  const { imei, vehicleId, since } = form.values
  const vin = form.values.vin.trim().toUpperCase()
  const target = vehicleId === null ? [...cars.values()].find(car => car.vin === vin) : cars.get(vehicleId)
  const isTaken = target && target.deviceId !== null && String(target.deviceId) !== imei
  const move = async () => {
    const moved = await ask('POST /admin/devices/{deviceId}/move', {
      path: { deviceId: imei ?? '' },
      body: {
        ...(vehicleId === null ? { vin } : { vehicleId }),
        ...(since === ''
          ? {}
          : { fromTimestamp: new Date(instantOfWall(Date.parse(`${since.replace(' ', 'T')}Z`))).toISOString() }),
      },
    })
    form.reset()
    return texts.moved(moved.deviceId, nameOfCar(cars, moved.vehicleId))
  }
  return (
    <FormCard
      title={texts.moveTitle}
      hint={texts.moveHint}
      action={texts.move}
      isDisabled={!imei || (vehicleId === null && vin === '')}
      question={
        isTaken && imei !== null
          ? {
              title: texts.moveQuestion(imei, target.name),
              hint: texts.moveConsequences(target.name, String(target.deviceId)),
              action: texts.moveAnyway,
            }
          : undefined
      }
      onSave={move}
    >
      <SimpleGrid cols={{ base: 1, xs: 2 }}>
        <Choice label={texts.dongle} data={dongles} required {...form.getInputProps('imei')} />
        <DateField
          hasTime
          label={texts.since}
          description={texts.sinceHint}
          // Its field is beside others that have no hint.
          inputWrapperOrder={['label', 'input', 'description', 'error']}
          {...form.getInputProps('since')}
          value={since}
        />
        <Choice
          label={texts.toCar}
          data={[...cars.values()]
            .filter(car => !car.isHidden)
            .map(car => ({ value: car.id, label: car.vin ? `${car.name} (${car.vin})` : car.name }))}
          clearable
          {...form.getInputProps('vehicleId')}
        />
        <TextInput
          label={texts.orVin}
          autoComplete="off"
          maxLength={VIN_LENGTH}
          disabled={vehicleId !== null}
          {...form.getInputProps('vin')}
        />
      </SimpleGrid>
    </FormCard>
  )
}

/** Deletes a dongle with everything that it measured, after saying what that is. */
function DeleteDevice() {
  const texts = useTexts('administration')
  const [imei, setImei] = useState<string | null>(null)
  const dongles = useDongles()
  const remove = async () => {
    await ask('DELETE /admin/devices/{deviceId}', { path: { deviceId: imei ?? '' } })
    setImei(null)
    // The live stream does not report deleted dongles.
    for (const { queryKey } of [devicesQuery, vehiclesQuery]) void queryClient.invalidateQueries({ queryKey })
    return texts.deleted(imei ?? '')
  }
  return (
    <FormCard
      title={texts.deleteTitle}
      hint={texts.deleteHint}
      action={texts.deleteDongle}
      isDanger
      isDisabled={imei === null}
      question={
        imei === null
          ? undefined
          : {
              title: texts.deleteQuestion(imei),
              hint: texts.deleteConsequences(dongles.find(({ value }) => value === imei)?.carName),
              action: texts.deleteForGood,
            }
      }
      onSave={remove}
    >
      <Choice label={texts.dongleToDelete} data={dongles} value={imei} onChange={setImei} clearable />
    </FormCard>
  )
}

/** A select of many shows at most this many of what matches. */
const OFFERED = 50

function Choice(props: Pick<SelectProps, 'label' | 'data' | 'value' | 'onChange' | 'required' | 'clearable'>) {
  const { nobodyFound } = useTexts('administration')
  return <Select searchable limit={OFFERED} nothingFoundMessage={nobodyFound} {...props} />
}

/** The dongles of the account for a select, each with its car if that is not just called by the dongle. */
function useDongles() {
  const { data: devices } = useQuery(devicesQuery)
  const cars = useCarDirectory()
  return [...(devices?.values() ?? [])].map(({ id, vehicleId }) => {
    const name = cars.get(vehicleId)?.name
    const carName = name === String(id) ? undefined : name
    return { value: String(id), label: carName === undefined ? String(id) : `${id} (${carName})`, carName }
  })
}
