import fc from 'fast-check'
import { expect, test } from 'vitest'
import { eventTypeByName } from '../../catalogue/event-types.ts'
import type { EventValue } from '../../intake/sample.ts'
import type { IngestSample } from '../ingest-client.ts'
import { DEMO_FLEET } from './fleet.ts'
import { samplesBetween } from './samples.ts'

const HOUR_MS = 3_600_000
const anyCar = fc.constantFrom(...DEMO_FLEET)
const anyTimeMs = fc.integer({ min: Date.UTC(2025, 0, 1), max: Date.UTC(2035, 0, 1) })

function isPossible(name: string, value: EventValue): boolean {
  const type = eventTypeByName(name)
  if (typeof value === 'boolean') return type?.dataType === 'BOOLEAN'
  if (typeof value === 'string') return type?.dataType === 'STRING'
  if (typeof value === 'object')
    return type?.dataType === 'GEO' && Math.abs(value.lat - 49.03) < 0.15 && Math.abs(value.lon - 8.45) < 0.2
  if (type?.unit === '%') return value >= 0 && value <= 100
  if (type?.unit === 'km/h') return value >= 0 && value < 130
  return type?.dataType === 'NUMBER' && Number.isFinite(value)
}

test('every event is one of the catalogue, of its data type, and possible', () => {
  fc.assert(
    fc.property(anyCar, anyTimeMs, (car, fromMs) => {
      for (const { events } of samplesBetween(car, fromMs, fromMs + 8 * HOUR_MS)) {
        expect(new Set(events.map(([name]) => name)).size).toBe(events.length)
        expect(events.filter(([name, value]) => !isPossible(name, value))).toEqual([])
      }
    }),
    { numRuns: 8 },
  )
})

test('however the time is cut, the same samples come, in the order of time', () => {
  fc.assert(
    fc.property(anyCar, anyTimeMs, fc.array(fc.nat(26 * HOUR_MS), { maxLength: 6 }), (car, fromMs, cutsMs) => {
      const toMs = fromMs + 26 * HOUR_MS
      const whole = [...samplesBetween(car, fromMs, toMs)]
      const borders = [fromMs, ...cutsMs.map(cutMs => fromMs + cutMs).sort((a, b) => a - b), toMs]
      const parts = borders.slice(1).flatMap((border, i) => [...samplesBetween(car, borders[i]!, border)])
      expect(parts).toEqual(whole)
      for (const [i, { timeMs }] of whole.entries()) expect(timeMs).toBeGreaterThan(whole[i - 1]?.timeMs ?? fromMs)
      expect(whole.at(-1)?.timeMs).toBeLessThanOrEqual(toMs)
    }),
    { numRuns: 6 },
  )
})

function valuesOf<T extends EventValue>(samples: readonly IngestSample[], name: string): T[] {
  return samples.flatMap(({ events }) => events.filter(([type]) => type === name).map(([, value]) => value as T))
}

test('the mileage never decreases and grows by what is driven', () => {
  fc.assert(
    fc.property(anyCar, anyTimeMs, (car, fromMs) => {
      const samples = [...samplesBetween(car, fromMs, fromMs + 50 * HOUR_MS)]
      const kilometres = valuesOf<number>(samples, 'MILEAGE')
      for (const [i, km] of kilometres.entries()) expect(km).toBeGreaterThanOrEqual(kilometres[i - 1] ?? 0)
      let pathKm = 0
      for (const [i, sample] of samples.entries()) {
        const [speedKmh = 0] = valuesOf<number>([sample], 'GPS_SPEED')
        pathKm += (speedKmh * Math.min(sample.timeMs - (samples[i - 1]?.timeMs ?? sample.timeMs), 5000)) / HOUR_MS
      }
      const drivenKm = (kilometres.at(-1) ?? 0) - (kilometres[0] ?? 0)
      expect(Math.abs(pathKm - drivenKm)).toBeLessThan(2 + drivenKm * 0.03)
    }),
    { numRuns: 6 },
  )
})

test('in the hours before any start every car tells its VIN, position and voltage, and some car moves', () => {
  fc.assert(
    fc.property(anyTimeMs, nowMs => {
      const byCar = DEMO_FLEET.map(car => [...samplesBetween(car, nowMs - 6 * HOUR_MS, nowMs)])
      for (const samples of byCar) {
        expect(valuesOf(samples, 'VIN').length).toBeGreaterThanOrEqual(2)
        expect(valuesOf(samples, 'POSITION').length).toBeGreaterThan(50)
        const latestMs = samples.at(-1)?.timeMs ?? 0
        expect(nowMs - latestMs).toBeLessThanOrEqual(240_000)
      }
      const events = byCar.flat().flatMap(sample => sample.events)
      expect(events.length).toBeGreaterThan(15_000)
      expect(events.length).toBeLessThan(90_000)
      expect(events.some(([name, value]) => name === 'IS_MOVING' && value === true)).toBe(true)
    }),
    { numRuns: 6 },
  )
})
