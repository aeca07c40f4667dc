import { Checkbox, Select, Stack } from '@mantine/core'
import type { Permission } from '../api/types.ts'
import { useTexts } from '../language/language.ts'
import { PERMISSIONS } from './permissions.ts'
import { permissionsOf, ROLE_NAMES, roleOf } from './roles.ts'

interface PermissionChoiceProps {
  readonly value: readonly Permission[]
  readonly onChange: (chosen: Permission[]) => void
}

/** A role, or permissions one by one. */
export function PermissionChoice({ value, onChange }: PermissionChoiceProps) {
  const texts = useTexts('administration')
  const role = roleOf(value)
  return (
    <Stack gap="sm">
      <Select
        label={texts.role}
        description={role ? texts.roles[role].meaning : texts.ownChoiceHint}
        data={[
          ...ROLE_NAMES.map(name => ({ value: name, label: texts.roles[name].name })),
          ...(role ? [] : [{ value: OWN_CHOICE, label: texts.ownChoice }]),
        ]}
        value={role ?? OWN_CHOICE}
        allowDeselect={false}
        onChange={chosen => {
          const named = ROLE_NAMES.find(name => name === chosen)
          if (named) onChange([...permissionsOf(named)])
        }}
      />
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
    </Stack>
  )
}

/** Permissions that are those of no role. */
const OWN_CHOICE = 'own'

/** What a list says of the permissions of somebody: the role, else how many there are, and which when pointed at. */
export function PermissionsText({ permissions }: { readonly permissions: readonly Permission[] }) {
  const texts = useTexts('administration')
  const role = roleOf(permissions)
  return (
    <span title={permissions.map(permission => texts.permission[permission]).join('\n')}>
      {role ? texts.roles[role].name : texts.permissionsChosen(permissions.length, PERMISSIONS.length)}
    </span>
  )
}
