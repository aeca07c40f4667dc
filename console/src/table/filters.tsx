import { type ComboboxParsedItem, Group, Select, type SelectProps, TextInput, type TextInputProps } from '@mantine/core'
import { IconSearch } from '@tabler/icons-react'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { lazy, type ReactNode, Suspense, useDeferredValue, useEffect, useEffectEvent, useMemo, useState } from 'react'
import type { PeriodSearch } from '../calendar/periods.ts'
import { type CarEntry, isFound, numberOfCar } from '../fleet/car.ts'
import { useCarDirectory } from '../fleet/use-cars.ts'
import { compareTexts, useTexts } from '../language/language.ts'
import { useUnlessLeft } from '../page/page.tsx'
import { persistently } from '../shell/persistently.ts'

interface SearchFieldProps extends Omit<TextInputProps, 'onChange' | 'label'> {
  /** What is searched; it stands in the field until somebody types. */
  readonly label: string
  readonly onChange: (text: string) => void
}

/** Where somebody types what the rows of a list must show. */
export function SearchField({ label, onChange, ...others }: SearchFieldProps) {
  return (
    <TextInput
      aria-label={label}
      placeholder={label}
      leftSection={<IconSearch size={16} aria-hidden />}
      onChange={event => onChange(event.currentTarget.value)}
      {...others}
    />
  )
}

/**
 * The typed text; the address follows after a pause. When the address changes otherwise, by going back or by a link, the
 * text follows it.
 */
export function useTyped(address: string, pauseMs: number, write: (typed: string) => void) {
  const unlessLeft = useUnlessLeft()
  const [typed, setTyped] = useState(address)
  const [written, setWritten] = useState(address)
  const [seen, setSeen] = useState(address)
  if (seen !== address) {
    setSeen(address)
    if (address !== written) setTyped(address)
  }
  const writeTyped = useEffectEvent(() =>
    unlessLeft(() => {
      setWritten(typed)
      write(typed)
    }),
  )
  useEffect(() => {
    if (typed === address) return undefined
    const timer = setTimeout(() => writeTyped(), pauseMs)
    return () => clearTimeout(timer)
  }, [typed, address, pauseMs])
  return { typed, type: setTyped }
}

/** The address of a list follows what is typed after a rest of this length. */
const TYPING_MS = 300

/** What somebody types above a list, in the address as `search`, with what the list shows of it as soon as it can. */
export function useSearchText() {
  const { search = '' } = useSearch({ strict: false })
  const navigate = useNavigate()
  const { typed, type } = useTyped(search, TYPING_MS, text => {
    void navigate({ to: '.', search: before => ({ ...before, search: text || undefined }), replace: true })
  })
  return { field: { value: typed, onChange: type }, wanted: useDeferredValue(typed) }
}

const MOST_OPTIONS = 100

interface CarSelectProps {
  /** Id of the chosen vehicle; undefined for all. */
  readonly value: string | undefined
  readonly onChange: (vehicleId: string | undefined) => void
}

/** One car or all of them. */
export function CarSelect({ value, onChange }: CarSelectProps) {
  const cars = useCarDirectory()
  const texts = useTexts('carSelect')
  const options = useMemo(() => optionsOf(cars, value), [cars, value])
  return (
    <Select
      label={texts.car}
      placeholder={texts.all}
      nothingFoundMessage={texts.none}
      data={options}
      value={value ?? null}
      onChange={chosen => onChange(chosen ?? undefined)}
      searchable
      clearable
      limit={MOST_OPTIONS}
      filter={({ options: all, search: typed, limit }) => foundOptions(all, typed, cars).slice(0, limit)}
      w={{ base: '100%', xs: 240 }}
    />
  )
}

function optionsOf(cars: ReadonlyMap<string, CarEntry>, chosen: string | undefined) {
  const offered = [...cars.values()].filter(car => !car.isHidden || car.id === chosen)
  const options = offered.map(({ id, name, makeAndModel }) => ({
    value: id,
    label: makeAndModel === '' || makeAndModel === name ? name : `${name} · ${makeAndModel}`,
  }))
  // A link may name a car that is not among those the person sees.
  if (chosen !== undefined && !cars.has(chosen)) options.push({ value: chosen, label: numberOfCar(chosen) })
  return options.sort((a, b) => compareTexts(a.label, b.label))
}

/** Cars are found as everywhere: by plate, VIN, IMEI, make and model. */
function foundOptions(options: readonly ComboboxParsedItem[], typed: string, cars: ReadonlyMap<string, CarEntry>) {
  return options.filter(option => {
    const car = 'value' in option ? cars.get(option.value) : undefined
    return car !== undefined && isFound(car, typed)
  })
}

/** First and last day, `YYYY-MM-DD`. */
interface Days {
  readonly from: string
  readonly to: string
}

interface PeriodSelectProps<Name extends string> {
  readonly label: string
  readonly periods: {
    readonly names: readonly Name[]
    readonly nameOf: (search: PeriodSearch<Name>) => Name | 'custom'
  }
  readonly texts: Readonly<Record<Name | 'custom', string>>
  /** Of the address; what else it says stays as it is. */
  readonly search: PeriodSearch<Name>
  readonly onChange: (chosen: PeriodSearch<Name>) => void
  readonly w?: SelectProps['w']
}

/** Chooses a range of time that has a name, or days. */
export function PeriodSelect<Name extends string>(props: PeriodSelectProps<Name>) {
  const { label, periods, texts, search, onChange, w = { base: '100%', xs: 170 } } = props
  const { names } = periods
  const value = periods.nameOf(search)
  /** The person wants to choose days, but has not done so yet. */
  const [isChoosing, setIsChoosing] = useState(false)
  const isCustom = isChoosing || value === 'custom'
  const { from, to } = search
  return (
    <>
      <Select
        label={label}
        data={[...names, 'custom' as const].map(name => ({ value: name, label: texts[name] }))}
        value={isCustom ? 'custom' : value}
        allowDeselect={false}
        onChange={chosen => {
          const range = names.find(name => name === chosen)
          setIsChoosing(range === undefined)
          if (range) onChange({ range, from: undefined, to: undefined })
        }}
        w={w}
      />
      {isCustom && (
        <DaysInput
          value={from === undefined || to === undefined ? undefined : { from, to }}
          onChange={chosen => {
            setIsChoosing(false)
            onChange({ range: undefined, ...chosen })
          }}
        />
      )}
    </>
  )
}

export interface DateFieldProps {
  readonly label: string
  /** `YYYY-MM-DD`, with `hasTime` also `YYYY-MM-DD HH:mm:ss`; empty while there is none. */
  readonly value: string
  readonly onChange: (value: string) => void
  /** The first and last day that can be chosen. */
  readonly min?: string | undefined
  readonly max?: string | undefined
  readonly hasTime?: boolean
  /** Where what is around says what it is: its label is then for screen readers. */
  readonly isSmall?: boolean
  readonly required?: boolean
  readonly description?: string
  readonly error?: ReactNode
  readonly inputWrapperOrder?: ('label' | 'input' | 'description' | 'error')[]
}

const LanguageDateInput = lazy(
  persistently(() => import('../calendar/date-input.tsx').then(module => ({ default: module.LanguageDateInput }))),
)

/** A day in the order and words of the language. */
export function DateField({ label, isSmall, ...props }: DateFieldProps) {
  const { required, description, inputWrapperOrder } = props
  const labelled = isSmall ? ({ 'aria-label': label, size: 'xs' } as const) : { label }
  return (
    <Suspense fallback={<TextInput {...labelled} {...{ required, description, inputWrapperOrder }} disabled />}>
      <LanguageDateInput {...labelled} {...props} />
    </Suspense>
  )
}

const ClockInput = lazy(
  persistently(() => import('../calendar/date-input.tsx').then(module => ({ default: module.ClockInput }))),
)

export interface ClockFieldProps {
  readonly label: string
  /** `HH:mm`, empty while it is not whole. */
  readonly value: string
  readonly onChange: (value: string) => void
}

/** A time of day. */
export function ClockField(props: ClockFieldProps) {
  return (
    <Suspense fallback={<TextInput label={props.label} disabled />}>
      <ClockInput {...props} />
    </Suspense>
  )
}

/** First and last day, `YYYY-MM-DD`. */
interface DaysInputProps {
  readonly value: Days | undefined
  /** Called when there are two days, the second not before the first. */
  readonly onChange: (days: Days) => void
}

/** A range of days, both ends included. */
export function DaysInput({ value, onChange }: DaysInputProps) {
  const texts = useTexts('calendar')
  const [entered, setEntered] = useState<Partial<Days>>({})
  const days = { from: '', to: '', ...value, ...entered }
  const field = (name: keyof Days) => ({
    label: texts[name],
    value: days[name],
    onChange: (day: string) => {
      const changed = { ...days, [name]: day }
      const isRange = changed.from !== '' && changed.to !== '' && changed.from <= changed.to
      setEntered(isRange ? {} : changed)
      if (isRange) onChange(changed)
    },
  })
  return (
    <Group gap="xs" wrap="nowrap" align="flex-end">
      <DateField {...field('from')} max={days.to || undefined} />
      <DateField {...field('to')} min={days.from || undefined} />
    </Group>
  )
}
