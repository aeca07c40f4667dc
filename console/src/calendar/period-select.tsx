import { Select, type SelectProps } from '@mantine/core'
import { useState } from 'react'
import { DaysInput } from './days-input.tsx'

/** First and last day, `YYYY-MM-DD`. */
interface Days {
  readonly from: string
  readonly to: string
}

interface PeriodSelectProps<Name extends string> {
  readonly label: string
  readonly names: readonly Name[]
  readonly texts: Readonly<Record<Name | 'custom', string>>
  readonly value: Name | 'custom'
  /** The days of `custom`. */
  readonly days: Partial<Days>
  readonly onChange: (chosen: { readonly range: Name } | Days) => void
  readonly w?: SelectProps['w']
}

/** Chooses a range of time that has a name, or days. */
export function PeriodSelect<Name extends string>(props: PeriodSelectProps<Name>) {
  const { label, names, texts, value, days, onChange, w = { base: '100%', xs: 170 } } = props
  /** The person wants to choose days, but has not done so yet. */
  const [isChoosing, setIsChoosing] = useState(false)
  const isCustom = isChoosing || value === 'custom'
  const { from, to } = days
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
          if (range) onChange({ range })
        }}
        w={w}
      />
      {isCustom && (
        <DaysInput
          value={from === undefined || to === undefined ? undefined : { from, to }}
          onChange={chosen => {
            setIsChoosing(false)
            onChange(chosen)
          }}
        />
      )}
    </>
  )
}
