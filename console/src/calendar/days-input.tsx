import { Group, TextInput } from '@mantine/core'
import { useState } from 'react'
import { useTexts } from '../language/language.ts'

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

/** A range of days, both ends included, with the date fields of the browser: they know keyboards, phones and readers. */
export function DaysInput({ value, onChange }: DaysInputProps) {
  const texts = useTexts('calendar')
  const [entered, setEntered] = useState<Partial<Days>>({})
  const days = { from: '', to: '', ...value, ...entered }
  const field = (name: keyof Days) => ({
    type: 'date',
    label: texts[name],
    value: days[name],
    onChange: (event: { readonly currentTarget: { readonly value: string } }) => {
      const changed = { ...days, [name]: event.currentTarget.value }
      const isRange = changed.from !== '' && changed.to !== '' && changed.from <= changed.to
      setEntered(isRange ? {} : changed)
      if (isRange) onChange(changed)
    },
  })
  return (
    <Group gap="xs" wrap="nowrap" align="flex-end">
      <TextInput {...field('from')} max={days.to || undefined} />
      <TextInput {...field('to')} min={days.from || undefined} />
    </Group>
  )
}
