import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { eventTypeById } from '../../../src/catalogue/event-types.ts'
import { eventsOf } from '../../../src/model/sample.ts'
import { FLEET_FAULTS, type FleetFault } from './fleet-faults.ts'
import { transmissionsBetween } from './transmissions.ts'
import { virtualFleet } from './virtual-fleet.ts'

const HOUR_MS = 3_600_000
const ALL = FLEET_FAULTS.map(({ name }) => name)
const fleetWith = (faults: readonly FleetFault[]) => virtualFleet({ vehicles: 12, seed: 5, faults: new Set(faults) })
const anyTimeMs = fc.integer({ min: Date.UTC(2025, 0, 3), max: Date.UTC(2035, 0, 1) })

describe.each([
  ['without faults', []],
  ['with all faults', ALL],
] as const)('%s', (_name, faults) => {
  const fleet = fleetWith(faults)
  const anyDongle = fc.constantFrom(...fleet)

  test('however the time is cut, the same is sent, in the order of sending', () => {
    fc.assert(
      fc.property(anyDongle, anyTimeMs, fc.array(fc.nat(26 * HOUR_MS), { maxLength: 4 }), (dongle, fromMs, cutsMs) => {
        const toMs = fromMs + 26 * HOUR_MS
        const whole = [...transmissionsBetween(dongle, fromMs, toMs)]
        const borders = [fromMs, ...cutsMs.map(cutMs => fromMs + cutMs).sort((a, b) => a - b), toMs]
        const parts = borders.slice(1).flatMap((border, i) => [...transmissionsBetween(dongle, borders[i]!, border)])
        expect(parts).toEqual(whole)
        const outOfOrder = whole.filter(({ sentMs }, i) => !(sentMs >= (whole[i - 1]?.sentMs ?? fromMs + 1)))
        expect(outOfOrder).toEqual([])
        expect(whole.filter(({ samples }) => samples.length === 0)).toEqual([])
        expect(whole.at(-1)?.sentMs ?? toMs).toBeLessThanOrEqual(toMs)
      }),
      { numRuns: 4 },
    )
  })

  test('cut to seconds, as it is when it is live', () => {
    fc.assert(
      fc.property(anyDongle, anyTimeMs, (dongle, fromMs) => {
        const whole = [...transmissionsBetween(dongle, fromMs, fromMs + 300_000)]
        const slices = Array.from({ length: 150 }, (_, i) => [
          ...transmissionsBetween(dongle, fromMs + i * 2000, fromMs + (i + 1) * 2000),
        ])
        expect(slices.flat()).toEqual(whole)
      }),
      { numRuns: 3 },
    )
  })
})

/** What an element of the Teltonika protocol can hold, and a car can be. */
const POSSIBLE: Readonly<Record<string, readonly [least: number, most: number]>> = {
  AMBIENT_AIR_TEMPERATURE: [-30, 45],
  BATTERY_VOLTAGE: [10, 15],
  ENGINE_COOLANT_TEMPERATURE: [-30, 90],
  ENGINE_LOAD_AVERAGE: [0, 100],
  ENGINE_RPM_AVERAGE: [700, 6500],
  FUEL_LEVEL_PERCENT: [5, 97],
  FUEL_RATE_AVERAGE: [0, 60],
  GPS_ALTITUDE: [100, 360],
  GPS_HDOP: [0.5, 3],
  GPS_SATELLITES_IN_USE: [4, 20],
  GPS_SPEED: [0, 180],
  HARSH_ACCELERATION: [2.5, 4],
  HARSH_BRAKING: [3, 6],
  HV_BATTERY_SOC: [10, 91],
  HV_BATTERY_TEMPERATURE: [-30, 60],
  HV_BATTERY_VOLTAGE: [280, 430],
  MILEAGE: [1000, 4_000_000],
  THROTTLE_POSITION_AVERAGE: [0, 100],
  VEHICLE_SPEED_MAX: [0, 180],
}

test('every value is possible, and those of an engine agree with each other', () => {
  const fromMs = Date.UTC(2026, 10, 17)
  const samples = fleetWith([])
    .slice(3, 9)
    .flatMap(dongle => [...transmissionsBetween(dongle, fromMs, fromMs + 24 * HOUR_MS)])
    .flatMap(transmission => transmission.samples)
  const events = samples.map(
    sample => new Map([...eventsOf(sample)].map(([id, value]) => [eventTypeById(id).name, value])),
  )
  const impossible = events.flatMap(values =>
    [...values].filter(([name, value]) => {
      const [least = value, most = value] = POSSIBLE[name] ?? []
      return value < least || value > most
    }),
  )
  expect(impossible).toEqual([])
  const contradicting = events.filter(values => {
    const [load, rate, speedKmh] = (['ENGINE_LOAD_AVERAGE', 'FUEL_RATE_AVERAGE', 'VEHICLE_SPEED_MAX'] as const).map(
      name => values.get(name),
    )
    // On the overrun nothing is injected, standing the engine idles, and while it runs it charges the battery.
    const isOverrun = load !== 4 || rate === 0
    const isIdle = speedKmh !== 0 || (values.get('ENGINE_RPM_AVERAGE') ?? 820) === 820
    const isOn = values.get('IS_IGNITION_ON') === true
    return !isOverrun || !isIdle || !(!isOn || Number(values.get('BATTERY_VOLTAGE') ?? 14) > 13.5)
  })
  expect(contradicting).toEqual([])
})
