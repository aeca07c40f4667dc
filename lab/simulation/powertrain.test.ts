import { expect, test } from 'vitest'
import { type Motion, motionAt, planDrive } from './drive-plan.ts'
import { gradientAt } from './ground.ts'
import { batteryPowerKw, engineWork, scaledToCar, usedShare } from './powertrain.ts'
import { randomRoute } from './random-recording.ts'

const PLACE = { lat: 49.0094, lon: 8.4044 }
const driving = (speedKmh: number, accelerationMps2: number): Motion => ({
  position: PLACE,
  courseDeg: 0,
  metres: 0,
  speedKmh,
  accelerationMps2,
})

test('an engine idles, works more the faster and the harder it goes, and burns nothing while the car is braked', () => {
  expect(engineWork(driving(0, 0))).toMatchObject({ rpm: 820 })
  expect(engineWork(driving(0, 0)).fuelLitresPerHour).toBeGreaterThan(0.4)
  const rates = [50, 100, 130].map(speedKmh => engineWork(driving(speedKmh, 0)).fuelLitresPerHour)
  expect(rates).toEqual(rates.toSorted((a, b) => a - b))
  expect(engineWork(driving(60, 1.3)).loadPercent).toBeGreaterThan(engineWork(driving(60, 0)).loadPercent)
  expect(engineWork(driving(60, 3)).rpm).toBeGreaterThan(engineWork(driving(60, 0.5)).rpm)
  expect(engineWork(driving(60, -2)).fuelLitresPerHour).toBe(0)
  expect(batteryPowerKw(driving(60, -2))).toBeLessThan(0)
})

test('uphill takes more than downhill', () => {
  const uphillDeg = [0, 90, 180, 270].sort((a, b) => gradientAt(PLACE, b) - gradientAt(PLACE, a))
  const [up, down] = [uphillDeg.at(0) ?? 0, uphillDeg.at(-1) ?? 0]
  const at = (courseDeg: number) => engineWork({ ...driving(80, 0), courseDeg }).loadPercent
  expect(at(up)).toBeGreaterThan(at(down))
})

test('the rates of a drive add up to what the car needs for its length', () => {
  const car = {
    vin: 'WVWZZZAU0LP000001',
    engine: 'combustion',
    capacity: 50,
    rangeKm: 750,
    restingVolts: 12.5,
    odometerStepM: 100,
  } as const
  const plan = planDrive(randomRoute(PLACE, 12_000, 3), 4)
  let litres = 0
  for (let ms = 250; ms < plan.lastsMs; ms += 500)
    litres += scaledToCar(car, plan, engineWork(motionAt(plan, ms)).fuelLitresPerHour) / 7200
  expect(litres / ((plan.lengthM / 1000 / 750) * 50)).toBeCloseTo(1, 1)
  expect(usedShare(plan, 'combustion', 0)).toBe(0)
  expect(usedShare(plan, 'combustion', plan.lastsMs)).toBeCloseTo(1, 9)
})

test('a careless driver brakes and accelerates hard now and then, on the same way and no shorter', () => {
  const route = randomRoute(PLACE, 12_000, 3)
  const [calm, careless] = [planDrive(route, 4), planDrive(route, 4, { harshShare: 0.5, speedFactor: 1.1 })]
  expect(calm.incidents).toEqual([])
  expect(new Set(careless.incidents.map(({ kind }) => kind))).toEqual(new Set(['braking', 'acceleration']))
  expect(careless.lastsMs).toBeLessThan(calm.lastsMs)
  expect(careless.lengthM).toBe(calm.lengthM)
})
