import fc from 'fast-check'
import { expect, test } from 'vitest'
import { wayBetween } from '../ground.ts'
import { type Situation, situationAt } from '../situation.ts'
import { DAY_MS, planCarDay } from './car-day.ts'
import { virtualFleet } from './virtual-fleet.ts'

const HOUR_MS = 3_600_000
const CARS = virtualFleet({ vehicles: 24, seed: 3, faults: new Set() }).map(({ cars }) => cars[0])
const anyCar = fc.constantFrom(...CARS)
/** 2025 to 2035. */
const anyDay = fc.integer({ min: 20_089, max: 23_740 })

test('the drives of a day follow one another, and lead home hours before the next day', () => {
  fc.assert(
    fc.property(anyCar, anyDay, (car, day) => {
      const today = planCarDay(car, day)
      let freeFromMs = today.fromMs
      for (const { startMs, endMs } of today.drives) {
        // Longer than any pause within a trip.
        expect(startMs - freeFromMs).toBeGreaterThanOrEqual(6 * 60_000 - 1)
        freeFromMs = endMs
      }
      expect(today.toMs - freeFromMs).toBeGreaterThan(HOUR_MS)
      const atHome = wayBetween(situationAt(today, today.toMs - 1).motion.position, car.home)
      expect(Math.hypot(atHome.eastM, atHome.northM)).toBeLessThan(1)
    }),
    { numRuns: 40 },
  )
})

test('a day begins as the one before ended: where, how far driven, and with how much left', () => {
  fc.assert(
    fc.property(anyCar, anyDay, (car, day) => {
      const [today, tomorrow] = [planCarDay(car, day), planCarDay(car, day + 1)]
      expect(today.toMs).toBe(tomorrow.fromMs)
      const [evening, morning] = [situationAt(today, today.toMs - 1), situationAt(tomorrow, tomorrow.fromMs)]
      expect(morning.odometerM).toBe(evening.odometerM)
      expect(evening.odometerM - today.startOdometerM).toBe(today.drives.reduce((sum, { lengthM }) => sum + lengthM, 0))
      expect(morning.levelPercent).toBeCloseTo(evening.levelPercent, 6)
      // Electric cars are charged at night.
      expect(car.car.engine === 'combustion' || morning.levelPercent === 90).toBe(true)
    }),
    { numRuns: 40 },
  )
})

test('speed never jumps, adds up to the distance, and what is used never comes back while driving', () => {
  const withDrive = fc.tuple(anyCar, anyDay).filter(([car, day]) => planCarDay(car, day).drives.length > 0)
  fc.assert(
    fc.property(withDrive, fc.nat(), ([car, day], pick) => {
      const today = planCarDay(car, day)
      const drive = today.drives[pick % today.drives.length]!
      let before = situationAt(today, drive.startMs)
      let pathM = 0
      const wrong: { readonly timeMs: number; readonly before: Situation; readonly now: Situation }[] = []
      for (let timeMs = drive.startMs + 500; timeMs < drive.endMs; timeMs += 500) {
        const now = situationAt(today, timeMs)
        pathM += (before.motion.speedKmh + now.motion.speedKmh) / 2 / 7.2
        // Half a second of full braking.
        const isSteady = Math.abs(now.motion.speedKmh - before.motion.speedKmh) < 10
        const isCounted = now.odometerM >= before.odometerM
        const isUsed = now.levelPercent <= before.levelPercent + 1e-9 && now.levelPercent > 5
        if (!isSteady || !isCounted || !isUsed || !(now.coolantC <= 90)) wrong.push({ timeMs, before, now })
        before = now
      }
      expect(wrong).toEqual([])
      expect(pathM / drive.plan.lengthM).toBeCloseTo(1, 2)
      const used = situationAt(today, drive.startMs).levelPercent - situationAt(today, drive.endMs - 1).levelPercent
      expect(used).toBeCloseTo(drive.plan.lengthM / 10 / car.car.rangeKm, 1)
    }),
    { numRuns: 8 },
  )
})

test('commuters leave early on workdays and sleep in on Sundays', () => {
  const commuters = CARS.filter(({ occupation }) => 'work' in occupation.places)
  /** The Sunday before New Year 2026. */
  const sunday = Date.UTC(2025, 11, 28) / DAY_MS
  const leavesBeforeNine = (day: number) =>
    commuters.filter(car => {
      const nineMs = day * DAY_MS + 9 * HOUR_MS - car.utcOffsetMin * 60_000
      return planCarDay(car, day).drives.some(({ startMs }) => startMs < nineMs)
    })
  expect(leavesBeforeNine(sunday)).toEqual([])
  expect(leavesBeforeNine(sunday + 2).length).toBeGreaterThan(commuters.length / 2)
})

test('at any hour of any day some car of the first twelve is on the road', () => {
  const day = 20_770
  const drives = CARS.slice(0, 12).flatMap(car => [day - 1, day, day + 1].flatMap(each => planCarDay(car, each).drives))
  for (let timeMs = day * DAY_MS; timeMs < (day + 1) * DAY_MS; timeMs += HOUR_MS / 2)
    expect(drives.some(({ startMs, endMs }) => startMs < timeMs + HOUR_MS && endMs > timeMs)).toBe(true)
})
