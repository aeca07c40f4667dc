import type { Permission } from '../api/types.ts'
import { defineTexts } from '../language/language.ts'
import type { ImeiFault } from './imei-fault.ts'
import type { Role } from './roles.ts'

const permissions: Readonly<Record<Permission, string>> = {
  devices: 'Devices and whether they are online',
  vehicles: 'Cars and their latest values',
  positions: 'Where cars are and were',
  trips: 'Trips',
  events: 'Measurements over time',
  dtcs: 'Fault codes',
  areas: 'Areas on the map',
  incidents: 'Incidents, and acknowledging them',
  rules: 'Rules that cars are watched by',
  aggregations: 'Statistics',
  settings: 'Change licence plate, VIN and other settings of cars',
  ingest: 'Send measurements',
  administration: 'Manage users, keys and devices',
}

const imeiFaults: Readonly<Record<ImeiFault, string>> = {
  number: 'An IMEI has 15 digits. Other numbers have at most 16.',
  checkDigit:
    'One of the digits is wrong: the last one does not fit the others. Compare it with the label of the device. If it is right, press the button again.',
}

interface RoleTexts {
  readonly name: string
  /** What somebody with it can do. */
  readonly meaning: string
}

const roles: Readonly<Record<Role, RoleTexts>> = {
  manager: { name: 'Fleet manager', meaning: 'Sees everything about the fleet and changes the settings of cars.' },
  driver: { name: 'Driver', meaning: 'Sees cars, where they are, and their trips.' },
  workshop: {
    name: 'Workshop',
    meaning: 'Sees the state of cars, their measurements, fault codes and devices; not where they are or were.',
  },
  integrator: { name: 'Integrator', meaning: 'For programs: reads everything about the fleet and sends measurements.' },
  administrator: { name: 'Administrator', meaning: 'May do everything, and manages users, keys and devices.' },
}

const english = {
  title: 'Administration',
  users: 'Users',
  keys: 'API keys',
  dongles: 'Devices',
  operation: 'Operation',
  securityLog: 'Security log',
  passwordRule: 'At least 12 characters, and not a common password.',
  madeBy: 'Created by',
  operator: 'operator',
  resting: 'suspended',
  restingHint: 'Whoever created it is no longer an administrator. It does not work until somebody takes it over.',
  takeOver: 'Take over',
  takeOverKey: (name: string) => `Take the key ${name} over?`,
  takeOverKeyHint: 'It works again, and depends on your rights as an administrator from now on.',
  keysEnd: 'These keys stop working with it',
  keysEndHint:
    'This person created them. Whatever uses them is refused within a second, until somebody takes them over.',
  takeThemOver: 'Take them over, so that they go on',
  permissions: 'Permissions',
  permission: permissions,
  role: 'Role',
  roles,
  ownChoice: 'Custom permissions',
  ownChoiceHint: 'These permissions do not match any role.',
  imeiFaults,
  permissionsChosen: (count: number, all: number) => (count === all ? 'all' : `${count} of ${all}`),
  created: 'Created',
  expires: 'Expires',
  never: 'never',
  expiresHint: 'Empty: never.',
  lastLogin: 'Last login',
  email: 'E-mail',
  password: 'Password',
  newPassword: 'New password',
  unchanged: 'Leave empty to keep the current one.',
  name: 'Name',
  nameHint: 'What the key is for, such as: workshop software',
  you: 'you',
  addUser: 'Add a user',
  changeUser: (email: string) => `Change ${email}`,
  removeUser: (email: string) => `Remove ${email}?`,
  removeUserHint: 'This person is logged out at once and cannot log in any more.',
  addKey: 'Create a key',
  revokeKey: (name: string) => `Revoke the key ${name}?`,
  revokeKeyHint: 'Whatever uses it is refused within a second. It cannot be brought back.',
  keyMade: 'The key is shown only this once. Keep it safe.',
  copy: 'Copy',
  copied: 'Copied',
  done: 'Done',
  change: 'Change',
  remove: 'Remove',
  revoke: 'Revoke',
  actions: 'Actions',
  noKeys: 'There are no keys',
  noKeysHint: 'A key lets a program read the API or send measurements without a person who logs in.',
  registerTitle: 'Register a device',
  registerHint: 'Before it reports for the first time: with its car, which gets its name at once.',
  register: 'Register',
  registered: (imei: number) => `The device ${imei} is registered.`,
  moveTitle: 'Move a device to another car',
  moveHint: 'Both histories stay right: what was measured before belongs to the old car.',
  move: 'Move',
  moved: (imei: number, car: string) => `The device ${imei} is in ${car} now.`,
  moveQuestion: (imei: string, car: string) => `Move the device ${imei} into ${car}?`,
  moveConsequences: (car: string, other: string) =>
    `The device ${other} is already in ${car}, and stays there. If you have replaced it, move it to another car, or delete it.`,
  moveAnyway: 'Move it anyway',
  deleteTitle: 'Delete a device',
  deleteHint: 'One that was sold or is broken can stay: deleting erases everything that it ever measured.',
  dongleToDelete: 'Device to delete',
  deleteDongle: 'Delete …',
  deleteQuestion: (imei: string) => `Delete the device ${imei}?`,
  deleteConsequences: (car: string | undefined) =>
    `This erases all of its measurements, trips, fault codes and statistics, and every car that no other device was ever in${
      car === undefined ? '' : `; it is in ${car} now`
    }. This cannot be undone. A device that goes on reporting may join again, as a new one.`,
  deleteForGood: 'Delete for good',
  deleted: (imei: string) => `The device ${imei} is deleted.`,
  imei: 'IMEI',
  plate: 'Licence plate',
  vin: 'VIN',
  make: 'Make',
  model: 'Model',
  fuel: 'Fuel',
  dongle: 'Device',
  toCar: 'Into the car',
  orVin: 'or VIN of a car that is not listed',
  since: 'Since',
  sinceHint: 'Empty: from now on.',
  nobodyFound: 'Nothing found',
}

export const administrationTexts = defineTexts('administration', english)
export type AdministrationTexts = typeof english
