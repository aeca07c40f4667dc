import { expect, test } from 'vitest'
import type { DeviceId } from '../../src/model/sample.ts'
import type { DongleLine, TripLine } from '../simulate/truth.ts'
import { groupsByDongle, groupsByFault } from './cars.ts'
import type { DongleTruth } from './known-truth.ts'
import { compareDongle, type ReportedTrip } from './trips.ts'

const VIN = 'WVWZZZ1KZAW000001'
const at = (time: string) => `2026-03-02T${time}:00.000Z`

function drive(start: string, end: string, more: Partial<TripLine['trip']> = {}): TripLine['trip'] {
  const place = { lon: 8, lat: 49 }
  const metres = 10_000
  const deviceId = 1 as DeviceId
  return {
    deviceId,
    vin: VIN,
    start: at(start),
    end: at(end),
    driveStart: at(start),
    driveEnd: at(end),
    metres,
    drivenMetres: metres,
    from: place,
    to: place,
    ...more,
  }
}

function truth(kind: string, everyS: number, ...trips: TripLine['trip'][]): DongleTruth {
  const deviceId = 1 as DeviceId
  const dongle: DongleLine['dongle'] = { deviceId, kind, everyS }
  const allToldMs = Date.parse(at('22:00'))
  return { deviceId, acknowledgedMs: new Set(), misdated: 0, allToldMs, trips, incidents: [], stints: [], dongle }
}

const told = (start: string, end: string, distanceM = 10_000): ReportedTrip => ({
  startMs: Date.parse(at(start)),
  endMs: Date.parse(at(end)),
  distanceM,
  vehicleId: `VIN${VIN}`,
})

const LIMITS = { toleranceMs: 20_000, fromMs: Date.parse(at('00:00')) }

test('drives are told apart by kind of dongle and interval, and a rare reporter may be off by one interval', () => {
  const compared = [
    compareDongle(truth('motion', 300, drive('08:00', '08:20')), [told('08:04', '08:24', 9000)], LIMITS),
    compareDongle(truth('motion', 10, drive('08:00', '08:20')), [told('08:04', '08:24')], LIMITS),
    compareDongle(truth('motion', 300, drive('09:00', '09:20')), [told('09:00', '09:20')], LIMITS),
  ]
  const [often, rarely, ...others] = groupsByDongle(compared)
  expect(others).toEqual([])
  expect(often).toMatchObject({ name: 'motion, every 10 s', expected: 1, f1: 0 })
  expect(rarely).toMatchObject({ name: 'motion, every 300 s', expected: 2, matched: 2, f1: 1 })
  expect(rarely?.kilometreError).toBeCloseTo(-0.05)
})

test('each fault has the drives that it hit, and what was invented after them', () => {
  const drives = [
    drive('08:00', '08:20', { faults: ['drift', 'jitter'] }),
    drive('10:00', '10:20', { faults: ['drift'] }),
    drive('12:00', '12:20'),
  ]
  const found = [told('08:00', '08:20'), told('08:50', '08:55', 500), told('12:00', '12:20')]
  const groups = groupsByFault([compareDongle(truth('everything', 5, ...drives), found, LIMITS)])
  expect(groups).toMatchObject([
    { name: 'drift', expected: 2, found: 2, matched: 1, f1: 0.5 },
    { name: 'jitter', expected: 1, found: 2, matched: 1 },
  ])
  expect(groups[1]?.kilometreError).toBeCloseTo(0.05)
})

test('a truth file from before kinds and faults were written down has no groups', () => {
  const { dongle: _, ...old } = truth('everything', 5, drive('08:00', '08:20'))
  const compared = [compareDongle(old, [told('08:00', '08:20')], LIMITS)]
  expect(groupsByDongle(compared)).toEqual([])
  expect(groupsByFault(compared)).toEqual([])
})
