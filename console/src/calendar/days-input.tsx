import { Group, TextInput } from '@mantine/core'
import { lazy, type ReactNode, Suspense, useState } from 'react'
import { useTexts } from '../language/language.ts'
import { persistently } from '../shell/persistently.ts'

export interface DateFieldProps {
  readonly label: string
  /** `YYYY-MM-DD`, with `hasTime` also `YYYY-MM-DD HH:mm:ss`; empty while there is none. */
  readonly value: string
  readonly onChange: (value: string) => void
  /** The first and last day that can be chosen. */
  readonly min?: string | undefined
  readonly max?: string | undefined
  readonly hasTime?: boolean
  readonly required?: boolean
  readonly description?: string
  readonly error?: ReactNode
  readonly inputWrapperOrder?: ('label' | 'input' | 'description' | 'error')[]
}

const LanguageDateInput = lazy(
  persistently(() => import('./date-input.tsx').then(module => ({ default: module.LanguageDateInput }))),
)

/** A day in the order and words of the language. */
export function DateField(props: DateFieldProps) {
  const { label, required, description, inputWrapperOrder } = props
  return (
    <Suspense fallback={<TextInput {...{ label, required, description, inputWrapperOrder }} disabled />}>
      <LanguageDateInput {...props} />
    </Suspense>
  )
}

/** First and last day, `YYYY-MM-DD`. */
interface Days {
  readonly from: string
  readonly to: string
}

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
