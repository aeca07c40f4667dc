import {
  MultiSelect,
  type MultiSelectProps,
  SegmentedControl,
  Select,
  SimpleGrid,
  Stack,
  Text,
  TextInput,
} from '@mantine/core'
import { useForm } from '@mantine/form'
import { useQueryClient } from '@tanstack/react-query'
import { ask } from '../api/request.ts'
import type { Rule, RuleKind } from '../api/types.ts'
import { dayOf } from '../calendar/days.ts'
import { FormDialog } from '../dialog/dialog.tsx'
import { useCarDirectory } from '../fleet/use-cars.ts'
import { SEVERITIES } from '../incidents/incident.ts'
import { useNow, useTexts } from '../language/language.ts'
import { Hint } from '../page/page.tsx'
import { DateField } from '../table/filters.tsx'
import { useIsPhone } from '../table/plain-table.tsx'
import { askedBy, draftOf, faultsOf, type RuleDraft, ruleToSave, withKind } from './rule-draft.ts'
import { HoursFields, namedOptions, OFFERED, ParameterField, USUAL_HOURS } from './rule-fields.tsx'
import { RulePreview } from './rule-preview.tsx'

/** Days begin while the dialog is open. */
const LOOK_AT_CLOCK_MS = 60_000

interface RuleDialogProps {
  readonly kinds: readonly RuleKind[]
  /** Of the rule that is changed, or with which a new one begins. */
  readonly firstKind: RuleKind
  /** The rule that is changed; undefined for a new one. */
  readonly rule: Rule | undefined
  /** Of the area that a new rule is about. */
  readonly areaId: string | undefined
  readonly onClose: () => void
}

/** Makes a rule or changes one, and shows what it would have found. */
export function RuleDialog({ kinds, firstKind, rule, areaId, onClose }: RuleDialogProps) {
  const texts = useTexts('rules')
  const nowMs = useNow(LOOK_AT_CLOCK_MS)
  const kindOf = (wanted: string | null) => kinds.find(({ name }) => name === wanted) ?? firstKind
  const faultsIn = (draft: RuleDraft) => faultsOf(draft, kindOf(draft.kind), nowMs, texts.faults)
  const form = useForm<RuleDraft>({
    initialValues: draftOf(firstKind, rule, areaId === undefined ? {} : { areas: [areaId] }),
    validate: faultsIn,
    // What is wrong with a parameter is said at once, what is missing elsewhere when somebody saves.
    validateInputOnChange: kinds.flatMap(({ parameters }) => parameters.map(({ name }) => `values.${name}` as const)),
  })
  const draft = form.values
  const kind = kindOf(draft.kind)
  const client = useQueryClient()
  const save = async () => {
    const body = ruleToSave(draft, kind)
    if (rule) await ask('PUT /cc/v2.0/rules/{ruleId}', { path: { ruleId: rule.id }, body })
    else await ask('POST /cc/v2.0/rules', { body })
    await client.invalidateQueries({ queryKey: ['rules'] })
  }
  const isAskable = Object.keys(faultsIn(draft)).every(field => field === 'name' || field === 'fromDay')
  const kindOptions = [...new Set(kinds.map(({ group }) => group))].map(group => ({
    group: texts.groups[group] ?? group,
    items: kinds.filter(each => each.group === group).map(({ name, title }) => ({ value: name, label: title })),
  }))

  return (
    <FormDialog
      title={rule ? texts.changeTitle(rule.name) : texts.newTitle}
      isGood={() => !form.validate().hasErrors}
      onSave={save}
      onClose={onClose}
      isUnsaved={form.isDirty()}
      size="xl"
    >
      <Select
        label={texts.chooseKind}
        description={kind.description}
        data={kindOptions}
        value={kind.name}
        onChange={name => form.setValues(withKind(draft, kind, kindOf(name)))}
        allowDeselect={false}
        searchable
        // The list would hide the form.
        openOnFocus={false}
        data-autofocus={rule ? undefined : true}
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
            error={form.errors[`values.${parameter.name}`]}
            onChange={value => form.setFieldValue(`values.${parameter.name}`, value)}
          />
        ))}
      </SimpleGrid>
      <Choice
        label={texts.whichCars}
        options={[texts.carsAll, texts.carsChosen]}
        isSecond={draft.vehicleIds !== null}
        onChange={isSecond => form.setFieldValue('vehicleIds', isSecond ? [] : null)}
      />
      {draft.vehicleIds && <CarsSelect {...form.getInputProps('vehicleIds')} value={draft.vehicleIds} />}
      <Choice
        label={texts.hoursMean[kind.hours]}
        options={[texts.hoursAlways[kind.hours], texts.hoursChosen]}
        isSecond={draft.hours !== null}
        onChange={isSecond => form.setFieldValue('hours', isSecond ? [USUAL_HOURS] : null)}
      />
      {draft.hours && <HoursFields {...form.getInputProps('hours')} rows={draft.hours} timeZone={draft.timeZone} />}
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
          max={dayOf(nowMs)}
          {...form.getInputProps('fromDay')}
          value={draft.fromDay}
        />
      )}
      {rule && <Hint>{texts.changeHint}</Hint>}
      <RulePreview asked={isAskable ? askedBy(draft, kind) : undefined} />
    </FormDialog>
  )
}

function CarsSelect({ value, ...input }: Omit<MultiSelectProps, 'value'> & { readonly value: readonly string[] }) {
  const texts = useTexts('rules')
  const offered = [...useCarDirectory().values()].filter(car => !car.isHidden || value.includes(car.id))
  const names = offered.map(({ id, name, makeAndModel }) => {
    return [id, makeAndModel === '' || makeAndModel === name ? name : `${name} · ${makeAndModel}`] as const
  })
  return (
    <MultiSelect
      aria-label={texts.chooseCars}
      placeholder={texts.chooseCars}
      data={namedOptions(new Map(names), value)}
      value={[...value]}
      limit={OFFERED}
      searchable
      clearable
      {...input}
    />
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
  const isPhone = useIsPhone()
  return (
    <Stack gap={4} align="start">
      <Text fz="sm" fw={600} aria-hidden>
        {label}
      </Text>
      <SegmentedControl
        aria-label={label}
        value={isSecond ? 'other' : 'one'}
        onChange={value => onChange(value === 'other')}
        orientation={isPhone ? 'vertical' : 'horizontal'}
        data={[
          { value: 'one', label: one },
          { value: 'other', label: other },
        ]}
      />
    </Stack>
  )
}
