import { expect, test } from 'vitest'
import { every, ignition, NOON_MS, place } from '../../../test/trip-samples.ts'
import type { Sample } from '../../model/sample.ts'
import { accountOf, retraced, retracedToEnd, retraceFrom } from './retrace.ts'

/** What there is to say about the trip that began with the first sample. */
function accountOn(samples: readonly Sample[]) {
  const [first] = samples
  const from = retraceFrom(undefined, first?.timeMs ?? NOON_MS)
  return accountOf(retracedToEnd(samples.reduce((retrace, sample) => retraced(retrace, sample), from)))
}

const eastward = (fromS: number, toS: number, offM = 0) =>
  every(10, fromS, toS, s => ({ POSITION: place(10 * s + offM), IS_IGNITION_ON: true }))

test('a car that appears elsewhere for ten minutes was there: what was kept apart counts after all', () => {
  const account = accountOn([...eastward(0, 300), ...eastward(310, 1200, 80_000)])
  expect(account?.tally).toMatchObject({ positions: 121, relocations: 1, returns: 0 })
  expect(account?.tally.dropped).toEqual({
    'impossible place': 0,
    'impossible jump': 0,
    elsewhere: 0,
    'drift while standing': 0,
  })
})

test('a car that is back sooner never left: what was elsewhere does not count, a single fix is a jump', () => {
  const samples = [
    ...eastward(0, 300),
    ...eastward(310, 500, 80_000),
    ...eastward(510, 700),
    ...eastward(710, 710, -9e4),
  ]
  const account = accountOn([...samples, ...eastward(720, 900)])
  expect(account?.tally).toMatchObject({ positions: 70, relocations: 0, returns: 0 })
  expect(account?.tally.dropped).toMatchObject({ elsewhere: 20, 'impossible jump': 1 })
})

test('a receiver that held a false place at the start, and comes back to where the car was, returned', () => {
  const parked = every(10, 0, 20, () => ({ POSITION: place(0), IS_IGNITION_ON: true }))
  const account = accountOn([...parked, ...eastward(30, 80, 90_000), ...eastward(90, 600)])
  expect(account?.tally).toMatchObject({ relocations: 1, returns: 1 })
})

test('of positions alone, drift around where the car stands is told as such', () => {
  const drift = every(10, 310, 500, s => ({ POSITION: place(3000 + (s % 30)), IS_IGNITION_ON: true }))
  const account = accountOn([...eastward(0, 300), ...drift, ...eastward(510, 800, -2100)])
  expect(account?.tally.dropped['drift while standing']).toBeGreaterThan(10)
})

test('who said what when the trip was found to have begun', () => {
  const byIgnition = accountOn([ignition(0, true, { VEHICLE_SPEED_AVERAGE: 0 }), ...eastward(10, 200)])
  expect([...(byIgnition?.evidence ?? [])]).toEqual([
    ['ignition', true],
    ['carSpeed', false],
  ])
  const byMotion = accountOn(every(10, 0, 200, s => ({ GPS_SPEED: 50, IS_MOVING: false, POSITION: place(14 * s) })))
  expect([...(byMotion?.evidence ?? [])]).toEqual([
    ['receiverSpeed', true],
    ['isMoving', false],
  ])
})
