import { expect, test } from 'vitest'
import { at, every, foldedOn, NOTHING, place, tripsOf } from '../../../test/trip-samples.ts'
import { distanceM } from '../../model/earth.ts'
import type { EventValue, Position, Sample } from '../../model/sample.ts'
import { positionsOf } from './route.ts'
import { parseState, serialiseState } from './state.ts'

/** Once a minute, 600 m on to the east; parked before and after. */
const parked = (fromS: number, toS: number, eastM: number) => every(240, fromS, toS, () => ({ POSITION: place(eastM) }))
const drive = (...others: readonly Sample[]) =>
  [...parked(-2400, 0, 0), ...every(60, 60, 900, s => ({ POSITION: place(10 * s) })), ...parked(960, 3000, 9000)].map(
    sample => others.find(({ timeMs }) => timeMs === sample.timeMs) ?? sample,
  )

/** How far the lines of all trips lead from there at most, to the north. */
const farthestNorthM = (samples: readonly Sample[]) =>
  Math.max(0, ...tripsOf(samples).flatMap(({ route }) => positionsOf(route.text).map(northOf)))
const northOf = (position: Position) => distanceM(position, { ...position, lat: place(0).lat })
const fix = (seconds: number, eastM: number, northM: number, more: Readonly<Record<string, EventValue>> = {}) =>
  at(seconds, { POSITION: place(eastM, northM), ...more })

test('a single fix to which nobody drove out and back so fast is in no line and no length', () => {
  const [trip, ...others] = tripsOf(drive(fix(480, 4800, 3000)))
  const [undisturbed] = tripsOf(drive())
  expect(others).toEqual([])
  expect(farthestNorthM(drive(fix(480, 4800, 3000)))).toBeLessThan(20)
  expect(Math.abs((trip?.distanceM ?? 0) - (undisturbed?.distanceM ?? 0))).toBeLessThan(150)
  expect(trip?.endMs).toBe(undisturbed?.endMs)
})

test('a single fix far from where a car is parked makes no trip', () => {
  expect(tripsOf([...parked(0, 2400, 0), fix(2640, 5000, 0), ...parked(2880, 9000, 0)])).toEqual([])
})

test('who turns is believed: out and back as slowly as roads allow', () => {
  const out = every(60, 60, 600, s => ({ POSITION: place(10 * s) }))
  const back = every(60, 660, 1200, s => ({ POSITION: place(12_000 - 10 * s) }))
  const [trip] = tripsOf([...parked(-2400, 0, 0), ...out, ...back, ...parked(1260, 4000, 0)])
  expect(trip?.distanceM).toBeGreaterThan(11_900)
})

/** Every two minutes, 600 m on to the east by position and odometer; one of the fixes is so far to the north. */
const slowly = (northM: number) =>
  every(120, 0, 1200, s => ({
    POSITION: place(5 * s, s === 600 ? northM : 0),
    MILEAGE: 1000 + (5 * s) / 1000,
    IS_IGNITION_ON: true,
  }))

test('a slower way around is false where the odometer knows nothing of it', () => {
  expect(farthestNorthM(slowly(1800))).toBeLessThan(20)
})

test('while a fix waits for the next one it is shown, and the state can be written and read', () => {
  const samples = drive(fix(480, 4800, 1500))
  const isSoFar = ({ timeMs }: Sample) => timeMs <= at(480, {}).timeMs
  const before = foldedOn(NOTHING, samples.filter(isSoFar))
  const shown = [...before.trips.values()].flatMap(({ route }) => positionsOf(route.text))
  expect(Math.max(...shown.map(northOf))).toBeGreaterThan(1400)
  const waiting = foldedOn(before, [at(490, { BATTERY_VOLTAGE: 12 })])
  expect(waiting.state?.pending).toHaveLength(1)
  const state = waiting.state && parseState(serialiseState(waiting.state))
  expect(state).toEqual(waiting.state)
  const after = foldedOn(
    { ...waiting, state },
    samples.filter(sample => !isSoFar(sample)),
  )
  expect([...after.trips.values()].map(({ distanceM: metres, endMs }) => [metres, endMs])).toEqual(
    tripsOf(samples).map(({ distanceM: metres, endMs }) => [metres, endMs]),
  )
})

test('a single fix elsewhere is in no line when the receiver held another one before it, which a car left far behind', () => {
  const driven = every(10, 0, 900, s => ({ POSITION: place(15 * s), IS_IGNITION_ON: s < 900 }))
  const held = driven.map(sample =>
    sample.timeMs > at(300, {}).timeMs && sample.timeMs < at(420, {}).timeMs
      ? at((sample.timeMs - at(0, {}).timeMs) / 1000, { POSITION: place(4500), IS_IGNITION_ON: true })
      : sample,
  )
  const samples = held.map(sample =>
    sample.timeMs === at(410, {}).timeMs ? fix(410, 4500, 2300, { IS_IGNITION_ON: true }) : sample,
  )
  expect(farthestNorthM(held)).toBeLessThan(20)
  expect(farthestNorthM(samples)).toBeLessThan(20)
})
