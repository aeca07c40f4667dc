import { DatePickerInput } from '@mantine/dates'
import { useState } from 'react'
import { useTexts } from '../language/language.ts'
import { calendarTexts } from './texts.ts'

/** First and last day, `YYYY-MM-DD`. */
export interface Days {
  readonly from: string
  readonly to: string
}

interface DaysInputProps {
  readonly value: Days | undefined
  /** Called when both days are chosen. */
  readonly onChange: (days: Days) => void
}

/** A range of days, both ends included. */
export function DaysInput({ value, onChange }: DaysInputProps) {
  const texts = useTexts(calendarTexts)
  const [choosing, setChoosing] = useState<[string | null, string | null]>()
  return (
    <DatePickerInput
      type="range"
      label={texts.days}
      placeholder={texts.choose}
      valueFormat="D MMM YYYY"
      allowSingleDateInRange
      value={choosing ?? [value?.from ?? null, value?.to ?? null]}
      onChange={chosen => {
        const [from, to] = chosen
        const isComplete = from !== null && to !== null
        setChoosing(isComplete ? undefined : chosen)
        if (isComplete) onChange({ from, to })
      }}
      w={{ base: '100%', xs: 260 }}
    />
  )
}
