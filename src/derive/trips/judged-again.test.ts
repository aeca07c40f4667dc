import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { deep } from '../../../test/deep.ts'
import { every, foldedOn, type Known, NOTHING, place, tripsOf } from '../../../test/trip-samples.ts'
import type { Position, Sample } from '../../model/sample.ts'
import { positionsOf } from './route.ts'
import { parseState, serialiseState } from './state.ts'

type Speed = 'VEHICLE_SPEED_AVERAGE' | 'GPS_SPEED' | undefined
const speedOf = (speed: Speed, kmh: number) => (speed ? { [speed]: kmh } : {})

/** At 60 km/h. */
const MPS = 1000 / 60
const QUAY_S = 8000
const HERE_M = 5000
const ABROAD_M = 70_200

interface Crossing {
  /** So many records of a drive with the fix from before the ferry, and how long it takes. */
  readonly old?: number
  readonly lastsS?: number
  readonly speed?: Speed
  readonly hasIgnition?: boolean
}

/** A drive to a ferry, and one of some minutes on the other side, which begins with old fixes. */
function crossing({ old = 3, lastsS = 300, speed = 'VEHICLE_SPEED_AVERAGE', hasIgnition = true }: Crossing) {
  const on = (isOn: boolean) => (hasIgnition ? { IS_IGNITION_ON: isOn } : {})
  const endS = QUAY_S + lastsS
  const way = (s: number) => place(ABROAD_M + MPS * (s - QUAY_S))
  return {
    endS,
    samples: [
      ...every(10, 0, 300, s => ({ POSITION: place(MPS * s), ...speedOf(speed, 60), ...on(s < 300) })),
      ...every(240, 540, QUAY_S - 60, () => ({ POSITION: place(HERE_M), ...speedOf(speed, 0), ...on(false) })),
      ...every(10, QUAY_S, endS, s => ({
        POSITION: s < QUAY_S + 10 * old ? place(HERE_M) : way(s),
        ...speedOf(speed, 60),
        ...on(s < endS),
      })),
    ],
    /** Parked there, with a record every ten minutes. */
    parked: (eastM: number, toS: number) =>
      every(600, endS + 600, endS + toS, () => ({ POSITION: place(eastM), ...speedOf(speed, 0), ...on(false) })),
    /** The next drive, an hour later, to the north. */
    onward: every(10, endS + 3600, endS + 4500, s => ({
      POSITION: place(ABROAD_M + MPS * lastsS, MPS * (s - endS - 3600)),
      ...speedOf(speed, 60),
      ...on(true),
    })),
    firstM: ABROAD_M + MPS * 10 * old,
    lastM: ABROAD_M + MPS * lastsS,
  }
}

/** How far east a trip begins and ends by its addresses and by its line, in whole kilometres. */
function ends([trip]: readonly ReturnType<typeof tripsOf>[number][]) {
  const line = trip ? positionsOf(trip.route.text) : []
  const east = (at: Position | undefined) =>
    at && Math.round((at.lon - place(0).lon) / (place(1000).lon - place(0).lon))
  return [trip?.startPosition, trip?.endPosition, line[0], line.at(-1)].map(east)
}
const fromTo = (fromM: number, toM: number) => [fromM, toM, fromM, toM].map(metres => Math.round(metres / 1000))

describe('a short drive that begins with fixes from before a ferry has its line and both addresses', () => {
  test.each([
    { old: 2 },
    { old: 5 },
    { old: 20, lastsS: 570 },
    { lastsS: 180 },
    { lastsS: 570 },
    { speed: 'GPS_SPEED' as const },
    { speed: 'GPS_SPEED' as const, hasIgnition: false },
    { speed: undefined },
    { speed: undefined, hasIgnition: false },
  ])('once the car was parked there, or drove on: %o', how => {
    const { samples, parked, onward, firstM, lastM } = crossing(how)
    const [, ...again] = tripsOf([...samples, ...parked(lastM, 40_000)])
    expect(again).toHaveLength(1)
    expect(ends(again)).toEqual(fromTo(firstM, lastM))
    expect(ends(tripsOf([...samples, ...onward]).slice(1))).toEqual(fromTo(firstM, lastM))
  })

  test('as long as nothing follows, too', () => {
    const { samples, firstM, lastM } = crossing({})
    expect(ends(tripsOf(samples).slice(1))).toEqual(fromTo(firstM, lastM))
  })

  test('not if the car is back where it had been: it never was there', () => {
    const { samples, parked } = crossing({})
    expect(ends(tripsOf([...samples, ...parked(HERE_M, 40_000)]).slice(1))).toEqual(fromTo(HERE_M, HERE_M))
  })

  test('however its samples were cut into runs, and from whatever checkpoint it is folded again', () => {
    const sent = fc.constantFrom('parked', 'back', 'onward', 'nothing')
    const how = fc.record({
      old: fc.integer({ min: 2, max: 20 }),
      lastsS: fc.constantFrom(210, 300, 560),
      speed: fc.constantFrom<Speed>('VEHICLE_SPEED_AVERAGE', 'GPS_SPEED', undefined),
      hasIgnition: fc.boolean(),
    })
    fc.assert(
      fc.property(how, sent, fc.array(fc.integer({ min: 1, max: 40 }), { maxLength: 20 }), (kind, then, cuts) => {
        const { samples, parked, onward, lastM } = crossing(kind)
        const after = { parked: parked(lastM, 9000), back: parked(HERE_M, 9000), onward, nothing: [] }[then]
        const all: readonly Sample[] = [...samples, ...after]
        const whole = foldedOn(NOTHING, all)
        let known: Known = NOTHING
        let next = 0
        for (const count of [...cuts, all.length]) {
          known = foldedOn(known, all.slice(next, next + count), count % 2 === 0)
          next += count
        }
        expect([...known.trips.values()]).toEqual([...whole.trips.values()])
        for (const [beforeMs, text] of whole.checkpoints) {
          const told = new Map([...whole.trips].filter(([startMs]) => startMs < beforeMs))
          const later = all.filter(({ timeMs }) => timeMs >= beforeMs)
          const again = foldedOn({ ...NOTHING, trips: told, state: parseState(text) }, later)
          expect([...again.trips.values()]).toEqual([...whole.trips.values()])
        }
      }),
      { numRuns: deep(60) },
    )
  })
})

describe('a receiver that repeats its fix through a tunnel, then minutes of driving and a day parked', () => {
  const tunnel = (speed: Speed, hasIgnition: boolean, heldKmh: number) => {
    const on = (isOn: boolean) => (hasIgnition ? { IS_IGNITION_ON: isOn } : {})
    const drive = every(10, 0, 1350, s => ({
      POSITION: place(22 * (s > 300 && s <= 1100 ? 300 : s)),
      ...speedOf(speed, s > 300 && s <= 1100 ? heldKmh : 79.2),
      ...on(s < 1350),
    }))
    const parked = every(600, 1950, 30_000, () => ({ POSITION: place(29_700), ...speedOf(speed, 0), ...on(false) }))
    return tripsOf([...drive, ...parked])
  }

  test.each(['GPS_SPEED', undefined] as const)('have their line and both addresses; speed: %s', speed => {
    const trips = tunnel(speed, false, 0)
    expect(trips).toHaveLength(2)
    expect(ends(trips.slice(1)).map(km => Math.abs((km ?? 0) - 27) <= 3)).toEqual([true, true, true, true])
    expect(trips[1]?.distanceM).toBeGreaterThan(4500)
  })

  test('are part of one drive if the ignition says so, and its speed counts in the tunnel', () => {
    const [trip, none] = tunnel('VEHICLE_SPEED_AVERAGE', true, 79.2)
    expect(none).toBeUndefined()
    expect(ends(trip ? [trip] : [])).toEqual(fromTo(0, 29_700))
    expect(trip?.distanceM).toBeCloseTo(29_700, -3)
  })
})

describe('a parked car whose receiver is deceived is on no trip once it is seen again, whatever speed that receiver says,', () => {
  const parked = (fromS: number, toS: number, values = {}) =>
    every(240, fromS, toS, s => ({ POSITION: place(5 * Math.sin(s), 5 * Math.cos(s)), ...values }))
  const standing = { GPS_SPEED: 0 }

  test.each([
    ['soon', 300],
    ['after the drive would have ended', 1500],
  ])('%s', (_when, againS) => {
    for (const speed of [{}, { GPS_SPEED: 36 }]) {
      const deceived = every(10, 0, 240, s => ({ POSITION: place(30_000 + 10 * s), ...speed }))
      const again = parked(againS, againS + 6000, standing)
      expect(tripsOf([...parked(-4800, -240, standing), ...deceived, ...again])).toEqual([])
    }
  })
})

test('a state that holds a trip which is not decided is read back the same', () => {
  const { samples } = crossing({})
  const { state } = foldedOn(NOTHING, [...samples, ...every(60, 8360, 8360, () => ({ IS_IGNITION_ON: false }))])
  const text = state && serialiseState(state)
  expect(text && serialiseState(parseState(text))).toBe(text)
})
