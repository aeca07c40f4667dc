import { afterAll, describe, expect, test } from 'vitest'
import { reading as phones } from '../osmand/read-report.ts'
import { reading as traccar } from '../traccar/read-position.ts'
import { BodyReader } from './bodies.ts'
import { LARGE_REPORTS_BYTES, receivedReports } from './reports.ts'

const bodies = new BodyReader(8)
afterAll(() => bodies.stop())

const IMEIS = ['356307042441013', '356307042441021']
const madeUp = Object.fromEntries(Array.from({ length: 2000 }, (_, index) => [`x${index}`, 1]))
const forwarded = (index: number) => ({
  position: {
    deviceTime: Date.UTC(2026, 2, 2) + 1000 * index,
    valid: true,
    latitude: 49,
    longitude: index % 180,
    attributes: { ignition: true, versionFw: `${index}`, io24: 1, ...(index === 0 ? madeUp : {}) },
  },
  device: { uniqueId: IMEIS[index % 2] },
})
const located = (index: number) => ({
  timestamp: 1772349330 + index,
  coords: { latitude: 49, longitude: index % 180, speed: 3 },
  extras: { io24: 1, ...(index === 0 ? madeUp : {}) },
})
const bytesOf = (value: unknown) => Buffer.from(JSON.stringify(value))
const many = <T>(of: (index: number) => T) => Array.from({ length: 300 }, (_, index) => of(index))

describe('what a thread reads is what would be read at once', () => {
  test('of a Traccar server', async () => {
    const bytes = bytesOf(many(forwarded))
    expect(bytes.length).toBeGreaterThan(LARGE_REPORTS_BYTES)
    const terms = { odometer: 'OBD' } as const
    const atOnce = traccar.read(bytes, terms)
    expect(atOnce.samples).toHaveLength(300)
    expect(atOnce.whereOf.get(Number(IMEIS[1]) as never)).toBe('[1].')
    expect(await bodies.read(traccar, bytesOf(many(forwarded)), terms, 1)).toEqual(atOnce)
  })

  test('of a phone', async () => {
    const report = { device_id: IMEIS[0], location: many(located) }
    const terms = { form: 'json', query: '', nowMs: Date.UTC(2026, 2, 2) } as const
    const atOnce = phones.read(bytesOf(report), terms)
    expect(atOnce.samples).toHaveLength(300)
    expect(await bodies.read(phones, bytesOf(report), terms, 1)).toEqual(atOnce)
  })

  test('of a form', async () => {
    const form = `lat=49&lon=8&note=${'x'.repeat(LARGE_REPORTS_BYTES)}`
    const terms = { form: 'form', query: `?id=${IMEIS[0]}&lat=48`, nowMs: Date.UTC(2026, 2, 2) } as const
    const atOnce = phones.read(Buffer.from(form), terms)
    // What the address says comes first.
    expect(atOnce.samples).toMatchObject([{ timeMs: terms.nowMs, numbers: [8, 48] }])
    expect(await bodies.read(phones, Buffer.from(form), terms, 1)).toEqual(atOnce)
  })

  test.each([
    ['of bad JSON', 'x'.repeat(LARGE_REPORTS_BYTES), 'The body is not valid JSON.'],
    ['of too many', `[${'{"position":{}},'.repeat(2000)}0]`, 'A request may hold at most 1000 positions.'],
    ['of brackets', '['.repeat(LARGE_REPORTS_BYTES), 'The body is nested too deeply: 32 levels are the most.'],
  ])('also a refusal %s', async (_, text, message) => {
    await expect(bodies.read(traccar, Buffer.from(text), { odometer: 'OBD' }, 1)).rejects.toMatchObject({ message })
  })
})

test('names of values are counted, and there are never more than some hundred of them', () => {
  const leftOut = ['io24', 'io24', 'in words', 'x'.repeat(100), ...Object.keys(madeUp)]
  const report = { deviceId: 5 as never, timeMs: 0, events: new Map(), leftOut }
  const counts = receivedReports([report], () => '').leftOut
  expect(counts.get('io24')).toBe(2)
  expect(counts.size).toBe(500)
  expect([...counts.values()].reduce((sum, count) => sum + count)).toBe(leftOut.length)
})
