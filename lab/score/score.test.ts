import { describe, expect, it } from 'vitest'
import type { DeviceId } from '../../src/model/sample.ts'
import type { FaultLine } from '../simulate/truth.ts'
import { carsOf, scoreDrives } from './cars.ts'
import { scoreIncidents, type ToldIncident } from './incidents.ts'
import type { DongleTruth } from './known-truth.ts'
import { type FoundCode, type FoundEvent, scoreFaults, scoreRecords } from './score-fleet.ts'
import type { ReportedTrip } from './trips.ts'

const MINUTE_MS = 60_000
const DAY = '2026-03-02'
const at = (time: string) => `${DAY}T${time}:00.000Z`
const ms = (time: string) => Date.parse(at(time))
const VIN = 'WVWZZZ1KZAW000001'

describe('records', () => {
  async function* events(...found: (readonly [timeMs: number, eventType: string])[]): AsyncGenerator<FoundEvent> {
    for (const [timeMs, eventType] of found) yield { timeMs, eventType }
  }

  it('are complete when each acknowledged instant is there, however many events it has', async () => {
    const found = events([1, 'MILEAGE'], [1, 'GPS_SPEED'], [2, 'MILEAGE'], [3, 'MILEAGE'])
    expect(await scoreRecords(new Set([1, 2]), found)).toEqual({
      acknowledged: 2,
      missing: 0,
      repeated: 0,
      others: 1,
      missingMs: [],
    })
  })

  it('that are missing or there twice are told', async () => {
    const found = events([1, 'MILEAGE'], [1, 'MILEAGE'], [3, 'MILEAGE'])
    expect(await scoreRecords(new Set([1, 2, 3, 4]), found)).toMatchObject({
      missing: 2,
      repeated: 1,
      missingMs: [2, 4],
    })
  })
})

describe('drives', () => {
  const truth = (...trips: (readonly [start: string, end: string, metres: number])[]): DongleTruth => ({
    deviceId: 1 as DeviceId,
    acknowledgedMs: new Set(),
    misdated: 0,
    allToldMs: ms('11:50'),
    incidents: [],
    stints: [],
    trips: trips.map(([start, end, metres]) => ({
      deviceId: 1 as DeviceId,
      vin: VIN,
      start: at(start),
      end: at(end),
      driveStart: at(start),
      driveEnd: at(end),
      metres,
      drivenMetres: metres,
      from: { lon: 8, lat: 49 },
      to: { lon: 8, lat: 49 },
    })),
  })
  const told = (start: string, end: string, distanceM: number, vehicleId = `VIN${VIN}`): ReportedTrip => ({
    startMs: ms(start),
    endMs: ms(end),
    distanceM,
    vehicleId,
  })

  const scored = (device: { truth: DongleTruth; told: ReportedTrip[] }, toleranceMs: number) =>
    scoreDrives([device], carsOf({ dongles: [device.truth], faults: [] }), { toleranceMs, fromMs: ms('06:00') })

  it('that are told as they were score 1', () => {
    const device = { truth: truth(['08:00', '08:20', 10_000]), told: [told('08:00', '08:20', 10_000)] }
    expect(scored(device, 0)).toMatchObject({ f1: 1, distanceError: 0, inRightCar: 1 })
  })

  it('that were cut in two are one miss and two too many, but no kilometre less', () => {
    const device = {
      truth: truth(['08:00', '08:20', 10_000], ['10:00', '10:10', 4000]),
      told: [told('08:00', '08:09', 6000), told('08:11', '08:20', 4000), told('10:00', '10:10', 4000)],
    }
    const score = scored(device, MINUTE_MS / 2)
    expect(score.f1).toBeCloseTo(2 / 5)
    expect(score.cars).toEqual([{ vin: VIN, drivenM: 14_000, toldM: 14_000 }])
  })

  it('in another car are told', () => {
    const device = { truth: truth(['08:00', '08:20', 10_000]), told: [told('08:00', '08:20', 10_000, 'IMEI_2')] }
    expect(scored(device, 0)).toMatchObject({ f1: 1, inRightCar: 0 })
  })

  it('do not count while they may still be driven, or had begun before the fleet did', () => {
    const device = {
      truth: truth(['08:00', '08:20', 10_000]),
      told: [told('08:00', '08:20', 10_000), told('11:40', '11:59', 9)],
    }
    expect(scored(device, 0)).toMatchObject({ f1: 1, found: 1 })
  })
})

describe('fault codes', () => {
  const fault = (name: string, listed: string | null, cleared: string | null = null): FaultLine['fault'] => ({
    deviceId: 1 as DeviceId,
    vin: VIN,
    code: name,
    start: at('07:00'),
    end: cleared && at('09:30'),
    listed: listed && at(listed),
    cleared: cleared && at(cleared),
  })
  const code = (name: string, recorded: string, deleted?: string, deviceId = 1): FoundCode => ({
    deviceId,
    code: name,
    vehicleId: `VIN${VIN}`,
    label: 'Catalyst',
    recordedMs: ms(recorded),
    deletedMs: deleted === undefined ? undefined : ms(deleted),
  })
  const cars = { vinOf: (id: string) => (id === `VIN${VIN}` ? VIN : undefined), vins: new Set([VIN]) }

  it('count when they are found, and are right when they begin and end with the lists of the dongle', () => {
    const stored = [
      fault('P0420', '08:00', '10:00'),
      fault('P0171', '08:00'),
      fault('P0301', '08:00'),
      fault('P0A80', null),
    ]
    const found = [
      code('P0420', '08:00', '10:00'),
      code('P0171', '08:05', '09:00'),
      code('U0100', '08:05'),
      // Taken back.
      code('P0420', '08:00', '08:00'),
      code('P0301', '08:00', undefined, 2),
    ]
    expect(scoreFaults(stored, found, cars)).toMatchObject({
      stored: 4,
      listed: 3,
      found: 2,
      labelled: 2,
      rightlyBegun: 1,
      rightlyEnded: 1,
      unexpected: 2,
      missed: [{ code: 'P0301' }],
    })
  })
})

it('incidents are found where they overlap, and those that are not clear count neither way', () => {
  const incident = (start: string, end: string, isSure?: false) => ({
    deviceId: 1 as DeviceId,
    vin: VIN,
    kind: 'IDLING' as const,
    start: at(start),
    end: at(end),
    ...(isSure === false && { isSure }),
  })
  const truth: DongleTruth = {
    deviceId: 1 as DeviceId,
    acknowledgedMs: new Set(),
    misdated: 0,
    allToldMs: ms('11:50'),
    trips: [],
    stints: [],
    incidents: [
      incident('08:00', '08:20'),
      incident('09:00', '09:10'),
      incident('10:00', '10:10', false),
      incident('11:40', '11:59'),
    ],
  }
  const told = (start: string, end: string, ruleId = '7'): ToldIncident => ({
    ruleId,
    kind: 'IDLING',
    startMs: ms(start),
    endMs: ms(end),
  })
  const found = [told('08:01', '08:19'), told('10:02', '10:05'), told('10:30', '10:40'), told('09:00', '09:10', '8')]
  const rules = { idByKind: new Map([['IDLING' as const, '7']]), missing: [] }
  const { kinds } = scoreIncidents([{ truth, told: found }], rules, ms('06:00'))
  expect(kinds).toMatchObject([{ happened: 2, found: 1, recall: 0.5, told: 3, right: 2, precision: 2 / 3 }])
})
