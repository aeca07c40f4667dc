import type { SecurityLine } from '../../api/schema.ts'
import { defineTexts } from '../../language/language.ts'

export type SecurityKind = SecurityLine['kind']

const kinds: Readonly<Record<SecurityKind, string>> = {
  login: 'Logged in',
  'login-failed': 'Login failed',
  'logins-slowed': 'Logins held up after failures',
  logout: 'Logged out',
  'refresh-token-reused': 'Session copied: ended',
  'password-changed': 'Changed their password',
  'user-created': 'Added a user',
  'user-changed': 'Changed a user',
  'user-removed': 'Removed a user',
  'key-created': 'Created a key',
  'key-revoked': 'Revoked a key',
  'key-taken-over': 'Took a key over',
  'device-added': 'Registered a device',
  'device-moved': 'Moved a device',
  'device-deleted': 'Deleted a device',
  'device-refused': 'Registering a device refused',
  'positions-read': 'Read positions',
  'data-exported': 'Exported a file',
  'lines-lost': 'Lines of this log lost',
}

export const securityLogTexts = defineTexts('securityLog', {
  hint: 'Who did what, and from where. Nobody can change a line.',
  time: 'When',
  kind: 'What',
  caller: 'Who',
  address: 'From where',
  about: 'About',
  kinds,
  everyKind: 'Everything',
  callerFilter: 'E-mail or name of a key',
  from: 'From',
  to: 'To',
  everyVehicle: 'all cars',
  ofTrip: (id: string) => `trip ${id}`,
  ofDongle: (imei: string) => `device ${imei}`,
  files: {
    trips: 'trips',
    route: 'route of a trip',
    measurements: 'measurements',
    faults: 'faults',
    statistics: 'statistics',
    incidents: 'incidents',
  },
  none: 'No lines',
  noneHint: 'Nothing was done that matches.',
  more: 'Show older lines',
  service: 'Tacho',
})
export type SecurityLogTexts = (typeof securityLogTexts)['en']
