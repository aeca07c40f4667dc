import {
  Autocomplete,
  Button,
  Checkbox,
  Group,
  type InputWrapperProps,
  SimpleGrid,
  Stack,
  TextInput,
} from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { type ChangeEvent, type FormEvent, useState } from 'react'
import type { Vehicle } from '../api/types.ts'
import { ConfirmDialog, useUnsaved } from '../dialog/dialog.tsx'
import { nameOf } from '../fleet/car.ts'
import { useCarDirectory } from '../fleet/use-cars.ts'
import { useTexts } from '../language/language.ts'
import { ErrorAlert, Hint, Part } from '../page/page.tsx'
import { showToast } from '../shell/toast.tsx'
import { changesOf, fieldOfError, formOf, invalidFields, LONGEST_TEXT, type SettingsForm } from './car-facts.ts'
import { useChangeSettings } from './vehicle-queries.ts'

/** What people say of the car: plate, VIN, make, model, fuel, colour, group, alarm system, and whether it is shown at all. */
export function SettingsCard({ vehicle }: { readonly vehicle: Vehicle }) {
  const texts = useTexts('car')
  const dialog = useTexts('dialog')
  const before = formOf(vehicle)
  /** What was entered; the rest follows the car, which others may change in the meantime. */
  const [entered, setEntered] = useState<Partial<SettingsForm>>({})
  const [isTried, setIsTried] = useState(false)
  const change = useChangeSettings(vehicle.id)
  const cars = useCarDirectory()
  const groups = [...new Set([...cars.values()].map(car => car.group))].filter(Boolean).sort()
  const form: SettingsForm = { ...before, ...entered }
  const changes = changesOf(before, form)
  const invalid = invalidFields(before, form)
  const refused = change.error ? fieldOfError(change.error.message) : undefined
  const errorOf = (field: 'numberPlate' | 'vin', wrong: string) => {
    if (isTried && invalid.includes(field)) return wrong
    return refused === field ? change.error?.message : undefined
  }
  const enter = (changed: Partial<SettingsForm>) => {
    change.reset()
    setEntered({ ...entered, ...changed })
  }
  const textOf = (field: Exclude<keyof SettingsForm, 'alarmSystem'>) => ({
    label: texts[field],
    value: form[field],
    autoComplete: 'off',
    inputWrapperOrder: ['label', 'input', 'description', 'error'] satisfies InputWrapperProps['inputWrapperOrder'],
    onChange: (event: ChangeEvent<HTMLInputElement>) => enter({ [field]: event.currentTarget.value }),
  })
  const { question } = useUnsaved(Object.keys(changes).length > 0, 'page')
  const submit = (event: FormEvent) => {
    event.preventDefault()
    setIsTried(true)
    if (invalid.length > 0) return
    change.mutate(changes, {
      onSuccess: () => {
        setEntered({})
        setIsTried(false)
        showToast({ message: texts.saved })
      },
    })
  }
  return (
    <Part title={texts.settings}>
      {question}
      <form onSubmit={submit} noValidate>
        <Stack gap="sm">
          <SimpleGrid cols={{ base: 1, sm: 2 }}>
            <TextInput {...textOf('numberPlate')} error={errorOf('numberPlate', texts.plateWrong)} />
            <TextInput
              {...textOf('vin')}
              description={texts.vinHint}
              error={errorOf('vin', texts.vinWrong)}
              autoCapitalize="characters"
              spellCheck={false}
              styles={{ input: { fontFamily: 'monospace' } }}
            />
          </SimpleGrid>
          <SimpleGrid cols={{ base: 1, sm: 3 }}>
            {(['make', 'model', 'fuelType'] as const).map(field => (
              <TextInput key={field} maxLength={LONGEST_TEXT} {...textOf(field)} />
            ))}
          </SimpleGrid>
          <Hint fz="xs">{texts.ownWordsHint}</Hint>
          <SimpleGrid cols={{ base: 1, sm: 3 }}>
            <TextInput maxLength={LONGEST_TEXT} {...textOf('color')} />
            <Autocomplete
              {...textOf('group')}
              onChange={group => enter({ group })}
              data={groups}
              maxLength={LONGEST_TEXT}
              description={texts.groupHint}
            />
          </SimpleGrid>
          <Checkbox
            label={texts.alarmSystem}
            description={form.alarmSystem === null ? texts.alarmUnknown : undefined}
            checked={form.alarmSystem === true}
            indeterminate={form.alarmSystem === null}
            onChange={event => enter({ alarmSystem: event.currentTarget.checked })}
          />
          <ErrorAlert error={refused === undefined ? change.error : null} />
          <Group justify="space-between">
            <Button type="submit" loading={change.isPending} disabled={Object.keys(changes).length === 0}>
              {dialog.save}
            </Button>
            {vehicle.deleteTimestamp === null && <HideButton vehicle={vehicle} />}
          </Group>
        </Stack>
      </form>
    </Part>
  )
}

function HideButton({ vehicle }: { readonly vehicle: Vehicle }) {
  const texts = useTexts('car')
  const [isOpen, { open, close }] = useDisclosure(false)
  const change = useChangeSettings(vehicle.id)
  const hide = async () => {
    await change.mutateAsync({ deleteTimestamp: new Date().toISOString() })
    window.scrollTo({ top: 0, behavior: 'smooth' })
  }
  return (
    <>
      <Button variant="subtle" color="red" onClick={open}>
        {texts.hide}
      </Button>
      {isOpen && (
        <ConfirmDialog
          title={texts.hideTitle}
          hint={texts.hideText(nameOf(vehicle))}
          action={texts.hide}
          onConfirm={hide}
          onClose={close}
        />
      )}
    </>
  )
}
