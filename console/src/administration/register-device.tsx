import { Alert, Button, Card, Group, SimpleGrid, Stack, Text, TextInput, Title } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { ask } from '../api/request.ts'
import { useTexts } from '../language/language.ts'
import { ErrorAlert } from '../states/error-alert.tsx'
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
