import type { Permission } from '../api/types.ts'
import { PERMISSIONS } from './permissions.ts'

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
