import { MultiSelect, SegmentedControl, Select, SimpleGrid, Stack, Text, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useMemo } from 'react'
import { ask } from '../api/request.ts'
import type { Rule, RuleKind } from '../api/types.ts'
import { dayOf } from '../calendar/days.ts'
import { Dialog, FormButtons } from '../dialog/dialog.tsx'
import { useUnsaved } from '../dialog/unsaved.tsx'
import { useCarDirectory } from '../fleet/use-cars.ts'
import { SEVERITIES } from '../incidents/incident.ts'
import { formatNumber, timeZoneHere, useNow, useTexts } from '../language/language.ts'
import { DateField } from '../table/filters.tsx'
import {
  askedBy,
  type DraftFault,
  draftOf,
  draftOfRule,
  faultsOf,
  type RuleDraft,
  ruleToSave,
  withKind,
} from './rule-draft.ts'
import { HoursFields, ParameterField, USUAL_HOURS } from './rule-fields.tsx'
import { RulePreview } from './rule-preview.tsx'

const OFFERED = 100

/** Days begin while the dialog is open. */
const LOOK_AT_CLOCK_MS = 60_000

interface RuleDialogProps {
  readonly kinds: readonly RuleKind[]
  /** Of the rule that is changed, or with which a new one begins. */
  readonly firstKind: RuleKind
  /** The rule that is changed; undefined for a new one. */
  readonly rule: Rule | undefined
  readonly onClose: () => void
}

/** Makes a rule or changes one, and shows what it would have found. */
export function RuleDialog({ kinds, firstKind, rule, onClose }: RuleDialogProps) {
  const texts = useTexts('rules')
  const nowMs = useNow(LOOK_AT_CLOCK_MS)
  const kindOf = ({ kind: wanted }: RuleDraft) => kinds.find(({ name }) => name === wanted) ?? firstKind
  const faultText = (fault: DraftFault): string =>
    fault.kind === 'range'
      ? texts.faults.range(formatNumber(fault.minimum), formatNumber(fault.maximum))
      : texts.faults[fault.kind]
  const form = useForm<RuleDraft>({
    initialValues: rule ? draftOfRule(rule, firstKind, timeZoneHere()) : draftOf(firstKind, timeZoneHere()),
    validate: draft =>
      Object.fromEntries([...faultsOf(draft, kindOf(draft), nowMs)].map(([field, fault]) => [field, faultText(fault)])),
    // What is wrong with a parameter is said at once, what is missing elsewhere when somebody saves.
    validateInputOnChange: kinds.flatMap(({ parameters }) => parameters.map(({ name }) => `values.${name}` as const)),
  })
  const draft = form.values
  const kind = kindOf(draft)
  const { leave, saved, question } = useUnsaved(form.isDirty())
  const cancel = () => leave(onClose)
  const client = useQueryClient()
  const save = useMutation({
    mutationFn: (body: ReturnType<typeof ruleToSave>) =>
      rule
        ? ask('PUT /cc/v2.0/rules/{ruleId}', { path: { ruleId: rule.id }, body })
        : ask('POST /cc/v2.0/rules', { body }),
    onSuccess: async () => {
      await client.invalidateQueries({ queryKey: ['rules'] })
      saved()
      onClose()
    },
  })
  const faults = faultsOf(draft, kind, nowMs)
  const isAskable = [...faults.keys()].every(field => field === 'name' || field === 'fromDay')

  return (
    <Dialog title={rule ? texts.changeTitle(rule.name) : texts.newTitle} onClose={cancel} size="xl">
      <form onSubmit={form.onSubmit(() => save.mutate(ruleToSave(draft, kind)))} noValidate>
        <Stack>
          <KindSelect
            kinds={kinds}
            kind={kind}
            isFirst={!rule}
            onChange={chosen => form.setValues(withKind(draft, kind, chosen))}
          />
          <SimpleGrid cols={{ base: 1, xs: 2 }}>
            <TextInput
              label={texts.name}
              maxLength={100}
              data-autofocus={rule ? true : undefined}
              {...form.getInputProps('name')}
            />
            <Select
              label={texts.severity}
              data={SEVERITIES.map(value => ({ value, label: texts.severities[value] }))}
              allowDeselect={false}
              {...form.getInputProps('severity')}
            />
            {kind.parameters.map(parameter => (
              <ParameterField
                key={`${kind.name} ${parameter.name}`}
                parameter={parameter}
                value={draft.values[parameter.name] ?? ''}
                error={errorText(form.errors[`values.${parameter.name}`])}
                onChange={value => form.setFieldValue(`values.${parameter.name}`, value)}
              />
            ))}
          </SimpleGrid>
          <CarsField
            value={draft.vehicleIds}
            error={errorText(form.errors.vehicleIds)}
            onChange={vehicleIds => form.setFieldValue('vehicleIds', vehicleIds)}
          />
          <Choice
            label={texts.hoursMean[kind.hours]}
            options={[texts.hoursAlways[kind.hours], texts.hoursChosen]}
            isSecond={draft.hours !== null}
            onChange={isSecond => form.setFieldValue('hours', isSecond ? [USUAL_HOURS] : null)}
          />
          {draft.hours && (
            <HoursFields
              rows={draft.hours}
              timeZone={draft.timeZone}
              error={errorText(form.errors.hours)}
              onChange={hours => form.setFieldValue('hours', hours)}
            />
          )}
          <Choice
            label={texts.holdsFrom}
            options={[texts.fromNow, texts.fromPast]}
            isSecond={draft.fromDay !== undefined}
            onChange={isSecond => form.setFieldValue('fromDay', isSecond ? dayOf(nowMs) : undefined)}
          />
          {draft.fromDay !== undefined && (
            <DateField
              label={texts.fromDay}
              description={texts.fromHint}
              value={draft.fromDay}
              max={dayOf(nowMs)}
              onChange={fromDay => form.setFieldValue('fromDay', fromDay)}
              error={errorText(form.errors.fromDay)}
            />
          )}
          {rule && (
            <Text fz="sm" c="dimmed">
              {texts.changeHint}
            </Text>
          )}
          <RulePreview asked={isAskable ? askedBy(draft, kind) : undefined} />
          <FormButtons error={save.error} isPending={save.isPending} onCancel={cancel} />
        </Stack>
      </form>
      {question}
    </Dialog>
  )
}

/** Errors of this form are texts. */
function errorText(error: ReactNode): string | undefined {
  return typeof error === 'string' ? error : undefined
}

interface KindSelectProps {
  readonly kinds: readonly RuleKind[]
  readonly kind: RuleKind
  /** What a new rule begins with. */
  readonly isFirst: boolean
  readonly onChange: (kind: RuleKind) => void
}

function KindSelect({ kinds, kind, isFirst, onChange }: KindSelectProps) {
  const texts = useTexts('rules')
  const options = useMemo(() => {
    const groups = new Map<string, { value: string; label: string }[]>()
    for (const { name, group, title } of kinds)
      groups.set(group, [...(groups.get(group) ?? []), { value: name, label: title }])
    return [...groups].map(([group, items]) => ({ group: texts.groups[group] ?? group, items }))
  }, [kinds, texts])
  return (
    <Select
      label={texts.chooseKind}
      description={kind.description}
      data={options}
      value={kind.name}
      onChange={name => {
        const chosen = kinds.find(each => each.name === name)
        if (chosen) onChange(chosen)
      }}
      allowDeselect={false}
      searchable
      // The list would hide the form.
      openOnFocus={false}
      data-autofocus={isFirst ? true : undefined}
    />
  )
}

interface CarsFieldProps {
  readonly value: readonly string[] | null
  readonly error: string | undefined
  readonly onChange: (value: readonly string[] | null) => void
}

function CarsField({ value, error, onChange }: CarsFieldProps) {
  const texts = useTexts('rules')
  const cars = useCarDirectory()
  const options = useMemo(() => {
    const shown = [...cars.values()].filter(car => !car.isHidden || value?.includes(car.id))
    const known = shown.map(({ id, name, makeAndModel }) => ({
      value: id,
      label: makeAndModel === '' || makeAndModel === name ? name : `${name} · ${makeAndModel}`,
    }))
    return [...known, ...(value ?? []).filter(id => !cars.has(id)).map(id => ({ value: id, label: id }))]
  }, [cars, value])
  return (
    <>
      <Choice
        label={texts.whichCars}
        options={[texts.carsAll, texts.carsChosen]}
        isSecond={value !== null}
        onChange={isSecond => onChange(isSecond ? [] : null)}
      />
      {value && (
        <MultiSelect
          aria-label={texts.chooseCars}
          placeholder={texts.chooseCars}
          data={options}
          value={[...value]}
          onChange={onChange}
          error={error}
          limit={OFFERED}
          searchable
          clearable
        />
      )}
    </>
  )
}

interface ChoiceProps {
  readonly label: string
  readonly options: readonly [string, string]
  readonly isSecond: boolean
  readonly onChange: (isSecond: boolean) => void
}

/** One of two ways, with its name above. */
function Choice({ label, options: [one, other], isSecond, onChange }: ChoiceProps) {
  return (
    <Stack gap={4} align="start">
      <Text fz="sm" fw={600} aria-hidden>
        {label}
      </Text>
      <SegmentedControl
        aria-label={label}
        value={isSecond ? 'other' : 'one'}
        onChange={value => onChange(value === 'other')}
        data={[
          { value: 'one', label: one },
          { value: 'other', label: other },
        ]}
      />
    </Stack>
  )
}
