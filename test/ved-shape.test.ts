import { expect, test } from 'vitest'
import { generateVedShape } from '../lab/bench/made-samples.ts'
import { eventTypeById } from '../src/catalogue/event-types.ts'
import { eventsOf, sampleOf } from '../src/model/sample.ts'

const samples = [...generateVedShape({ vehicles: 133, samples: 50_000, seed: 1 })]

test('the same options give the same samples, another seed gives others', () => {
  expect([...generateVedShape({ vehicles: 3, samples: 500, seed: 1 })]).toEqual([
    ...generateVedShape({ vehicles: 3, samples: 500, seed: 1 }),
  ])
  expect([...generateVedShape({ vehicles: 1, samples: 5, seed: 1 })]).not.toEqual([
    ...generateVedShape({ vehicles: 1, samples: 5, seed: 2 }),
  ])
})

test('every sample is one that the store could hold', () => {
  for (const sample of samples.slice(0, 2000)) {
    expect(sampleOf(sample.deviceId, sample.timeMs, eventsOf(sample))).toEqual(sample)
    expect(sample.types.map(id => eventTypeById(id).name)).toContain('POSITION')
    expect(sample.numbers.every(Number.isFinite)).toBe(true)
  }
})

test('it has the shape measured: cars, events a sample, time between samples', () => {
  expect(samples).toHaveLength(50_000)
  const latestMs = new Map<number, number>()
  const gapsMs: number[] = []
  for (const { deviceId, timeMs } of samples) {
    const gapMs = timeMs - (latestMs.get(deviceId) ?? timeMs - 1)
    if (gapMs < 60_000) gapsMs.push(gapMs)
    latestMs.set(deviceId, timeMs)
  }
  expect(latestMs.size).toBe(133)
  expect(Math.min(...gapsMs)).toBeGreaterThan(0)
  const events = samples.reduce((sum, { types }) => sum + types.length, 0)
  expect(events / samples.length).toBeCloseTo(4.83, 1)
  const meanGapMs = gapsMs.reduce((sum, gapMs) => sum + gapMs, 0) / gapsMs.length
  expect(Math.abs(meanGapMs - 744)).toBeLessThan(30)
})
