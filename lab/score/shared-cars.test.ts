import { expect, test } from 'vitest'
import type { DeviceId } from '../../src/model/sample.ts'
import type { TripLine } from '../simulate/truth.ts'
import { carsOf, scoreDrives } from './cars.ts'
import { scoreIncidents, type ToldIncident } from './incidents.ts'
import type { DongleTruth } from './known-truth.ts'
import { scorePresentDongles } from './score-fleet.ts'
import type { ReportedTrip } from './trips.ts'

const VIN = 'WVWZZZ1KZAW000001'
const [FIRST, SECOND] = [1, 2]
const at = (time: string) => `2026-03-02T${time}:00.000Z`
const ms = (time: string) => Date.parse(at(time))
const place = { lon: 8, lat: 49 }

/** A drive of 10 km, as far as that dongle could know. */
function drive(deviceId: number, from: string, to: string, more: Partial<TripLine['trip']> = {}): TripLine['trip'] {
  const [start, end] = [at(from), at(to)]
  const whole = { drivenMetres: 10_000, driveStart: start, driveEnd: end }
  return {
    deviceId: deviceId as DeviceId,
    vin: VIN,
    start,
    end,
    metres: 10_000,
    from: place,
    to: place,
    ...whole,
    ...more,
  }
}

function dongle(deviceId: number, trips: TripLine['trip'][], more: Partial<DongleTruth> = {}): DongleTruth {
  const kind = deviceId === FIRST ? 'everything' : 'positions'
  const id = deviceId as DeviceId
  return {
    deviceId: id,
    acknowledgedMs: new Set([ms('07:00'), ms('21:59')]),
    misdated: 0,
    allToldMs: ms('22:00'),
    trips,
    incidents: [],
    stints: [{ deviceId: id, vin: VIN, start: at('06:00'), end: at('22:00') }],
    dongle: { deviceId: id, kind, everyS: 10, ...(deviceId === SECOND && { secondIn: VIN }) },
    ...more,
  }
}

const told = (from: string, to: string, distanceM = 10_000, vehicleId = `VIN${VIN}`): ReportedTrip => ({
  startMs: ms(from),
  endMs: ms(to),
  distanceM,
  vehicleId,
})

function scored(first: DongleTruth, firstTold: ReportedTrip[], second: DongleTruth, secondTold: ReportedTrip[]) {
  const devices = [
    { truth: first, told: firstTold },
    { truth: second, told: secondTold },
  ]
  const cars = carsOf({ dongles: [first, second], faults: [] })
  return scoreDrives(devices, cars, { toleranceMs: 20_000, fromMs: ms('06:00') })
}

const DRIVES = [
  ['08:00', '08:20'],
  ['10:00', '10:20'],
] as const
const bothOf = (deviceId: number) => DRIVES.map(([from, to]) => drive(deviceId, from, to))

test('drives of a car with two dongles count once, whichever of them a trip is told of', () => {
  const score = scored(dongle(FIRST, bothOf(FIRST)), [told('08:00', '08:20')], dongle(SECOND, bothOf(SECOND)), [
    told('10:00', '10:20'),
  ])
  expect(score).toMatchObject({ expected: 2, found: 2, f1: 1, inRightCar: 2, strays: [], byDongle: [] })
  expect(score.cars).toEqual([{ vin: VIN, drivenM: 20_000, toldM: 20_000 }])
  expect(score.byTwoDongles).toMatchObject([
    { name: 'everything, every 10 s + positions, every 10 s', expected: 2, matched: 2, kilometreError: 0 },
  ])
})

test('a drive that is told twice is one too many, and one that is told by none is missed', () => {
  const twice = [told('08:00', '08:20')]
  const own = [told('08:00', '08:20', 10_000, 'IMEI_2')]
  const score = scored(dongle(FIRST, bothOf(FIRST)), twice, dongle(SECOND, bothOf(SECOND)), own)
  expect(score).toMatchObject({ expected: 2, found: 2 })
  expect(score.f1).toBe(0.5)
  expect(score.strays).toEqual([{ deviceId: SECOND, vehicleId: `VIN${VIN}` }])
})

test('one dongle may know less of a drive: its trip is right by what it knows, its metres by the whole drive', () => {
  const [half] = [drive(FIRST, '08:00', '08:10', { metres: 5000, driveEnd: at('08:20') })]
  const score = scored(dongle(FIRST, [half]), [told('08:00', '08:10', 5000)], dongle(SECOND, bothOf(SECOND)), [
    told('10:00', '10:20'),
  ])
  expect(score.f1).toBe(1)
  expect(score.byTwoDongles[0]?.kilometreError).toBe(-0.25)
})

test('what either dongle has not told to its end does not count', () => {
  const early = dongle(FIRST, bothOf(FIRST).slice(0, 1), { allToldMs: ms('09:00') })
  const score = scored(early, [told('08:00', '08:20')], dongle(SECOND, bothOf(SECOND)), [told('10:00', '10:20')])
  expect(score).toMatchObject({ expected: 1, found: 1, f1: 1 })
})

test('an incident that both dongles recorded happened once', () => {
  const idling = (deviceId: number, isSure?: false) => ({
    deviceId: deviceId as DeviceId,
    vin: VIN,
    kind: 'IDLING' as const,
    start: at('09:00'),
    end: at('09:20'),
    ...(isSure === false && { isSure }),
  })
  const found: ToldIncident = { ruleId: '7', kind: 'IDLING', startMs: ms('09:01'), endMs: ms('09:19') }
  const rules = { idByKind: new Map([['IDLING' as const, '7']]), missing: [] }
  const devices = [
    { truth: dongle(FIRST, [], { incidents: [idling(FIRST, false)] }), told: [] },
    { truth: dongle(SECOND, [], { incidents: [idling(SECOND)] }), told: [found] },
  ]
  expect(scoreIncidents(devices, rules, ms('06:00')).kinds).toMatchObject([
    { happened: 1, found: 1, told: 1, right: 1 },
  ])
})

test('the present dongle of a car is the one that told the newest of it, once its VIN shows where it is', () => {
  const old = dongle(FIRST, bothOf(FIRST), { acknowledgedMs: new Set([ms('08:00'), ms('12:00')]) })
  const replacement = (...trips: TripLine['trip'][]): DongleTruth => ({
    ...dongle(SECOND, trips),
    dongle: { deviceId: SECOND as DeviceId, kind: 'everything', everyS: 10 },
  })
  const listed = (deviceId: number) => [{ id: `VIN${VIN}`, deviceId }]
  const drove = [old, replacement(drive(SECOND, '13:00', '13:20'))]
  expect(scorePresentDongles(drove, listed(SECOND))).toEqual({ known: 1, right: 1 })
  expect(scorePresentDongles(drove, listed(FIRST))).toEqual({ known: 1, right: 0 })
  expect(scorePresentDongles([old, replacement()], listed(FIRST))).toEqual({ known: 0, right: 0 })
  const beside = [dongle(FIRST, bothOf(FIRST)), dongle(SECOND, bothOf(SECOND))]
  for (const either of [FIRST, SECOND])
    expect(scorePresentDongles(beside, listed(either))).toEqual({ known: 1, right: 1 })
  expect(scorePresentDongles([{ ...old, stints: [] }], listed(FIRST))).toBeUndefined()
})
