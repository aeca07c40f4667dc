import fc from 'fast-check'
import { expect, test } from 'vitest'
import { motionAt, planDrive, routeLengthM } from '../../simulation/drive-plan.ts'
import { situationAt } from '../../simulation/situation.ts'
import { DAY_MS, planDay } from './day.ts'
import { DEMO_FLEET } from './fleet.ts'
import { ROUTES } from './routes.ts'

const anyCar = fc.constantFrom(...DEMO_FLEET)
/** 2025 to 2035. */
const anyDay = fc.integer({ min: 20_089, max: 23_740 })
const anyRoute = fc.constantFrom(...Object.values(ROUTES))

test('a drive covers its route from end to end, at the speeds of a road, without a jump', () => {
  fc.assert(
    fc.property(anyRoute, fc.nat(), (route, seed) => {
      const plan = planDrive(route, seed)
      const [first, last] = [route[0], route.at(-1)]
      expect(motionAt(plan, 0)).toMatchObject({ metres: 0, speedKmh: 0, position: { lat: first.lat, lon: first.lon } })
      const end = motionAt(plan, plan.lastsMs)
      expect(end.metres).toBeCloseTo(routeLengthM(route), 6)
      expect(end.position.lat).toBeCloseTo(last?.lat ?? 0, 6)
      expect(end.speedKmh).toBeCloseTo(0, 6)
      let before = motionAt(plan, 0)
      for (let ms = 0; ms <= plan.lastsMs; ms += 1000) {
        const now = motionAt(plan, ms)
        expect(now.metres).toBeGreaterThanOrEqual(before.metres - 1e-6)
        expect(now.metres - before.metres).toBeLessThan(130 / 3.6)
        expect(Math.abs(now.speedKmh - before.speedKmh)).toBeLessThan(8)
        before = now
      }
    }),
    { numRuns: 25 },
  )
})

test('the drives of a day follow one another and end before midnight, where the next day begins', () => {
  fc.assert(
    fc.property(anyCar, anyDay, (car, day) => {
      const { drives, startOdometerM } = planDay(car, day)
      const tomorrow = planDay(car, day + 1)
      let freeFromMs = day * DAY_MS
      for (const { startMs, endMs } of drives) {
        expect(startMs).toBeGreaterThanOrEqual(freeFromMs)
        freeFromMs = endMs + 60_000
      }
      expect(freeFromMs).toBeLessThan((day + 1) * DAY_MS)
      const drivenM = drives.reduce((sum, { lengthM }) => sum + lengthM, 0)
      expect(tomorrow.startOdometerM).toBe(startOdometerM + drivenM)
      const evening = situationAt(planDay(car, day), (day + 1) * DAY_MS - 1)
      const morning = situationAt(tomorrow, (day + 1) * DAY_MS)
      expect(morning.odometerM).toBe(evening.odometerM)
      expect(morning.motion.position.lat).toBeCloseTo(evening.motion.position.lat, 6)
      expect(morning.motion.position.lon).toBeCloseTo(evening.motion.position.lon, 6)
      expect(morning.levelPercent).toBeGreaterThan(evening.levelPercent - 0.01)
    }),
    { numRuns: 40 },
  )
})

test('the tank empties on the road and is filled between drives, and neither it nor the battery ever runs dry', () => {
  fc.assert(
    fc.property(anyCar, anyDay, (car, day) => {
      const carDay = planDay(car, day)
      let before = situationAt(carDay, day * DAY_MS)
      for (let timeMs = day * DAY_MS; timeMs < (day + 1) * DAY_MS; timeMs += 30_000) {
        const now = situationAt(carDay, timeMs)
        expect(now.levelPercent).toBeGreaterThan(10)
        expect(now.levelPercent).toBeLessThanOrEqual(96)
        const sameDrive = now.drive !== undefined && now.drive === before.drive
        expect(now.levelPercent > before.levelPercent && sameDrive).toBe(false)
        expect(now.coolantC).toBeLessThanOrEqual(90)
        before = now
      }
    }),
    { numRuns: 10 },
  )
})

test('at nearly every minute of a day some car drives', () => {
  const days = DEMO_FLEET.map(car => planDay(car, 20_700))
  const still = Array.from({ length: 1440 }, (_, minute) => 20_700 * DAY_MS + minute * 60_000).filter(
    timeMs => !days.some(({ drives }) => drives.some(({ startMs, endMs }) => startMs <= timeMs && timeMs < endMs)),
  )
  expect(still.length).toBeLessThan(72)
})

test('cars are told apart by dongle and VIN', () => {
  expect(new Set(DEMO_FLEET.map(({ dongle }) => dongle.deviceId)).size).toBe(DEMO_FLEET.length)
  expect(new Set(DEMO_FLEET.map(({ car }) => car.vin)).size).toBe(DEMO_FLEET.length)
  for (const { car } of DEMO_FLEET) expect(car.vin).toMatch(/^[A-HJ-NPR-Z0-9]{17}$/)
})
