import { TextInput, type TextInputProps } from '@mantine/core'
import { IconSearch } from '@tabler/icons-react'

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
