import { InvalidArgumentError, Option } from 'commander'
import {
  ALL_PERMISSIONS,
  CLIENT_PERMISSIONS,
  isPermission,
  PERMISSIONS,
  type Permission,
} from '../catalogue/permissions.ts'

/** `--permissions`, with what a client of the contract needs as its default. */
export function permissionsOption(): Option {
  return new Option('--permissions <list>', 'types of data, separated by commas, or "all"')
    .default(CLIENT_PERMISSIONS, 'all but ingest and administration')
    .argParser(parsePermissions)
}

/** @throws InvalidArgumentError that lists the valid ones. */
function parsePermissions(text: string): readonly Permission[] {
  const words = text
    .split(',')
    .map(word => word.trim().toLowerCase())
    .filter(Boolean)
  if (words.length === 1 && words[0] === 'all') return ALL_PERMISSIONS
  const unknown = words.find(word => !isPermission(word))
  if (unknown !== undefined || words.length === 0)
    throw new InvalidArgumentError(`It must be "all" or a list of ${ALL_PERMISSIONS.join(', ')}.`)
  return [...new Set(words.filter(isPermission))]
}

/** Permissions as a list for the terminal. */
export function permissionsText(permissions: readonly string[]): string {
  return ALL_PERMISSIONS.every(permission => permissions.includes(permission)) ? 'all' : permissions.join(',')
}

/** For the end of a command's help. */
export function permissionsHelp(): string {
  const width = Math.max(...ALL_PERMISSIONS.map(permission => permission.length))
  const lines = ALL_PERMISSIONS.map(permission => `  ${permission.padEnd(width)}  ${PERMISSIONS[permission]}`)
  return `\nPermissions:\n${lines.join('\n')}`
}
