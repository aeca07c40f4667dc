import { MultiSelect, SegmentedControl, Select, SimpleGrid, Stack, Text, TextInput } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useMemo, useState } from 'react'
import { ask } from '../api/request.ts'
import type { Rule, RuleKind } from '../api/types.ts'
import { dayOf } from '../calendar/days.ts'
import { Dialog, FormButtons } from '../dialog/dialog.tsx'
import { useUnsaved } from '../dialog/unsaved.tsx'
import { useCarDirectory } from '../fleet/use-car-directory.ts'
import { useNow } from '../fleet/use-now.ts'
import { SEVERITIES } from '../incidents/incident.ts'
import { formatNumber } from '../language/format.ts'
import { useLanguage, useTexts } from '../language/language.ts'
import { timeZoneHere } from '../language/profile.ts'
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
  /** The rule that is changed; undefined for a new one. */
  readonly rule: Rule | undefined
  readonly onClose: () => void
}

/** Makes a rule or changes one, and shows what it would have found. */
export function RuleDialog({ kinds, rule, onClose }: RuleDialogProps) {
  const texts = useTexts('rules')
  const [isChanged, setChanged] = useState(false)
  const { leave, question } = useUnsaved(isChanged)
  const [first] = kinds
  const kindOfRule = rule ? kinds.find(({ name }) => name === rule.kind) : first
  return (
    <Dialog title={rule ? texts.changeTitle(rule.name) : texts.newTitle} onClose={() => leave(onClose)} size="xl">
      {kindOfRule && (
        <RuleForm
          kinds={kinds}
          firstKind={kindOfRule}
          rule={rule}
          onChange={() => setChanged(true)}
          onCancel={() => leave(onClose)}
          onSaved={onClose}
        />
      )}
      {question}
    </Dialog>
  )
}

interface RuleFormProps extends Pick<RuleDialogProps, 'kinds' | 'rule'> {
  readonly firstKind: RuleKind
  readonly onChange: () => void
  readonly onCancel: () => void
  readonly onSaved: () => void
}

function RuleForm({ kinds, firstKind, rule, onChange, onCancel, onSaved }: RuleFormProps) {
  const texts = useTexts('rules')
  const language = useLanguage()
  const [draft, setDraftTo] = useState(() => {
    const timeZone = timeZoneHere()
    return rule ? draftOfRule(rule, firstKind, timeZone) : draftOf(firstKind, timeZone)
  })
  const setDraft = (changed: RuleDraft) => {
    setDraftTo(changed)
    onChange()
  }
  const [isChecked, setChecked] = useState(false)
  const kind = kinds.find(({ name }) => name === draft.kind) ?? firstKind
  const nowMs = useNow(LOOK_AT_CLOCK_MS)
  const faults = faultsOf(draft, kind, nowMs)
  const change = (changed: Partial<RuleDraft>) => setDraft({ ...draft, ...changed })
  const client = useQueryClient()
  const save = useMutation({
    mutationFn: () => {
      const body = ruleToSave(draft, kind)
      return rule
        ? ask('PUT /cc/v2.0/rules/{ruleId}', { path: { ruleId: rule.id }, body })
        : ask('POST /cc/v2.0/rules', { body })
    },
    onSuccess: async () => {
      await client.invalidateQueries({ queryKey: ['rules'] })
      onSaved()
    },
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    setChecked(true)
    if (faults.size === 0) save.mutate()
  }
  /** What is missing is said when somebody saves, what is wrong at once. */
  const faultOf = (field: string): string | undefined => {
    const fault = faults.get(field)
    if (!fault || (!isChecked && (fault.kind === 'missing' || fault.kind === 'cars'))) return undefined
    return faultText(fault)
  }
  const faultText = (fault: DraftFault): string =>
    fault.kind === 'range'
      ? texts.faults.range(formatNumber(fault.minimum, language), formatNumber(fault.maximum, language))
      : texts.faults[fault.kind]
  const isAskable = [...faults.keys()].every(field => field === 'name' || field === 'from')

  return (
    <form onSubmit={submit} noValidate>
      <Stack>
        <KindSelect
          kinds={kinds}
          kind={kind}
          isFirst={!rule}
          onChange={chosen => setDraft(withKind(draft, kind, chosen))}
        />
        <SimpleGrid cols={{ base: 1, xs: 2 }}>
          <TextInput
            label={texts.name}
            value={draft.name}
            onChange={event => change({ name: event.currentTarget.value })}
            maxLength={100}
            error={faultOf('name')}
            data-autofocus={rule ? true : undefined}
          />
          <Select
            label={texts.severity}
            data={SEVERITIES.map(value => ({ value, label: texts.severities[value] }))}
            value={draft.severity}
            onChange={severity => change({ severity: severity ?? draft.severity })}
            allowDeselect={false}
          />
          {kind.parameters.map(parameter => (
            <ParameterField
              key={`${kind.name} ${parameter.name}`}
              parameter={parameter}
              value={draft.values[parameter.name] ?? ''}
              error={faultOf(parameter.name)}
              onChange={value => change({ values: { ...draft.values, [parameter.name]: value } })}
            />
          ))}
        </SimpleGrid>
        <CarsField value={draft.vehicleIds} error={faultOf('cars')} onChange={vehicleIds => change({ vehicleIds })} />
        <Choice
          label={texts.hoursMean[kind.hours]}
          options={[texts.hoursAlways[kind.hours], texts.hoursChosen]}
          isSecond={draft.hours !== null}
          onChange={isSecond => change({ hours: isSecond ? [USUAL_HOURS] : null })}
        />
        {draft.hours && (
          <HoursFields
            rows={draft.hours}
            timeZone={draft.timeZone}
            error={faultOf('hours')}
            onChange={hours => change({ hours })}
          />
        )}
        <Choice
          label={texts.holdsFrom}
          options={[texts.fromNow, texts.fromPast]}
          isSecond={draft.fromDay !== undefined}
          onChange={isSecond => change({ fromDay: isSecond ? dayOf(nowMs) : undefined })}
        />
        {draft.fromDay !== undefined && (
          <TextInput
            type="date"
            label={texts.fromDay}
            description={texts.fromHint}
            value={draft.fromDay}
            max={dayOf(nowMs)}
            onChange={event => change({ fromDay: event.currentTarget.value })}
            error={faultOf('from')}
            maw={260}
          />
        )}
        {rule && (
          <Text fz="sm" c="dimmed">
            {texts.changeHint}
          </Text>
        )}
        <RulePreview asked={isAskable ? askedBy(draft, kind) : undefined} />
        <FormButtons error={save.error} isPending={save.isPending} onCancel={onCancel} />
      </Stack>
    </form>
  )
}

interface KindSelectProps {
  readonly kinds: readonly RuleKind[]
  readonly kind: RuleKind
  /** What a new rule begins with: the list opens with the dialog. Of one that is changed it would only hide the settings. */
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
