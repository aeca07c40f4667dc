import { expect, test } from 'vitest'
import { lineAbout } from './security-log.tsx'

const TEXTS = {
  everyVehicle: 'alle Fahrzeuge',
  ofTrip: (id: string) => `Fahrt ${id}`,
  ofDongle: (imei: string) => `Gerät ${imei}`,
  files: { trips: 'Fahrten', route: 'Strecke', measurements: 'Messwerte', faults: 'Fehler', statistics: 'Statistik' },
}

test.each([
  ['login', {}, ''],
  ['user-changed', { userId: 7, email: 'ann@example.com', isNewPassword: true }, 'ann@example.com'],
  ['key-created', { keyId: 2, keyName: 'workshop' }, 'workshop'],
  ['device-moved', { deviceId: 356307042441013, vehicleId: 'VIN1' }, '356307042441013 → M-AB 123'],
  ['device-moved', { deviceId: 356307042441013, vehicleId: 'VIN2' }, '356307042441013 → VIN2'],
  ['positions-read', { object: 'every vehicle' }, 'alle Fahrzeuge'],
  ['positions-read', { object: 'VINWVWZZZ1JZ3W386752' }, 'VINWVWZZZ1JZ3W386752'],
  ['positions-read', { object: 'VIN1' }, 'M-AB 123'],
  ['positions-read', { object: 'trip 12' }, 'Fahrt 12'],
  ['positions-read', { object: 'device 4711' }, 'Gerät 4711'],
  ['data-exported', { object: 'trips' }, 'Fahrten'],
  ['lines-lost', { count: 3 }, '3'],
] as const)('%s about %j', (kind, details, text) => {
  expect(lineAbout({ kind, details }, TEXTS, id => (id === 'VIN1' ? 'M-AB 123' : id))).toBe(text)
})
