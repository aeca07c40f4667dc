import { expect, test } from 'vitest'
import { PERMISSIONS, permissionsOf, ROLE_NAMES, roleOf } from './permissions.tsx'

test('permissions of a role are known as that role, in whatever order they come', () => {
  for (const role of ROLE_NAMES) expect(roleOf(permissionsOf(role).toReversed())).toBe(role)
})

test('one permission more or less is no role', () => {
  expect(roleOf([])).toBeUndefined()
  expect(roleOf(['vehicles', 'positions'])).toBeUndefined()
  expect(roleOf(['vehicles', 'positions', 'trips', 'dtcs'])).toBeUndefined()
})

test('only who administers may administer, and only programs send measurements', () => {
  const withPermission = (permission: (typeof PERMISSIONS)[number]) =>
    ROLE_NAMES.filter(role => permissionsOf(role).includes(permission))
  expect(withPermission('administration')).toEqual(['administrator'])
  expect(withPermission('ingest')).toEqual(['integrator', 'administrator'])
  expect(permissionsOf('administrator')).toEqual(PERMISSIONS)
})
