import { Checkbox, Stack } from '@mantine/core'
import type { Permission } from '../api/types.ts'
import { useTexts } from '../language/language.ts'
import { PERMISSIONS } from './permissions.ts'
import { administrationTexts } from './texts.ts'

interface PermissionChoiceProps {
  readonly value: readonly Permission[]
  readonly onChange: (chosen: Permission[]) => void
}

export function PermissionChoice({ value, onChange }: PermissionChoiceProps) {
  const texts = useTexts(administrationTexts)
  return (
    <Checkbox.Group
      label={texts.permissions}
      value={[...value]}
      onChange={chosen => onChange(PERMISSIONS.filter(permission => chosen.includes(permission)))}
    >
      <Stack gap={6} mt={6}>
        {PERMISSIONS.map(permission => (
          <Checkbox key={permission} value={permission} label={texts.permission[permission]} />
        ))}
      </Stack>
    </Checkbox.Group>
  )
}
