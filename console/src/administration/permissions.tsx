import { Checkbox, Select, Stack } from '@mantine/core'
import type { Permission } from '../api/types.ts'
import { type Texts, useTexts } from '../language/language.ts'

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

/** What a list says of the permissions of somebody: the role, else how many there are. */
export function permissionsText(permissions: readonly Permission[], texts: Texts<'administration'>): string {
  const role = roleOf(permissions)
  return role ? texts.roles[role].name : texts.permissionsChosen(permissions.length, PERMISSIONS.length)
}

/** In the order in which they are offered; a missing or an unknown one does not compile. */
const ORDER: Readonly<Record<Permission, number>> = {
  vehicles: 1,
  positions: 2,
  trips: 3,
  events: 4,
  dtcs: 5,
  incidents: 6,
  aggregations: 7,
  devices: 8,
  areas: 9,
  rules: 10,
  settings: 11,
  ingest: 12,
  administration: 13,
}

export const PERMISSIONS = (Object.keys(ORDER) as Permission[]).sort((left, right) => ORDER[left] - ORDER[right])

/** What somebody usually needs for a task; permissions can be chosen one by one, too. */
const ROLES = {
  manager: PERMISSIONS.filter(permission => permission !== 'ingest' && permission !== 'administration'),
  driver: ['vehicles', 'positions', 'trips'],
  workshop: ['vehicles', 'events', 'dtcs', 'devices'],
  integrator: PERMISSIONS.filter(permission => permission !== 'settings' && permission !== 'administration'),
  administrator: PERMISSIONS,
} as const satisfies Readonly<Record<string, readonly Permission[]>>

export type Role = keyof typeof ROLES

export const ROLE_NAMES = Object.keys(ROLES) as readonly Role[]

export function permissionsOf(role: Role): readonly Permission[] {
  return ROLES[role]
}

/** @returns undefined for permissions that are those of no role */
export function roleOf(permissions: readonly Permission[]): Role | undefined {
  const given = new Set(permissions)
  return ROLE_NAMES.find(role => {
    const needed = permissionsOf(role)
    return needed.length === given.size && needed.every(permission => given.has(permission))
  })
}
