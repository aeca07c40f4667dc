import fc from 'fast-check'
import { afterAll, describe, expect, test } from 'vitest'
import { anySample } from '../../../test/any-sample.ts'
import { BodyReader } from './bodies.ts'
import { type BodyForm, LARGE_BODY_BYTES, readBody, reading } from './event-json.ts'

const bodies = new BodyReader(32)
afterAll(() => bodies.stop())

const read = (bytes: Buffer, form: BodyForm, sender = 1) => bodies.read(reading, bytes, { form, context: {} }, sender)

const event = (index: number, fields: object = {}) => ({
  deviceId: 356307042441013 + (index % 3),
  recordedTimestamp: new Date(Date.UTC(2025, 0, 1) + index * 1000).toISOString(),
  eventType: ['GPS_SPEED', 'POSITION', 'VIN', 'IS_IGNITION_ON'][index % 4],
  value: [index, { lat: 49, lon: index % 180 }, `text ${index}`, true][index % 4],
  ...fields,
})
const large = Array.from({ length: 5000 }, (_, index) => event(index))
const bytesOf = (events: readonly object[]) => Buffer.from(JSON.stringify(events))

test('samples are the same after they went through another thread', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(anySample(), { maxLength: 20 }), async samples => {
      const received = { samples, repeated: 3, conflicts: 1, firstOf: new Map(), leftOut: new Map() }
      expect(await reading.unpack(reading.pack(received))).toEqual(received)
    }),
  )
})

test('a large body is read as a small one would be', async () => {
  expect(bytesOf(large).length).toBeGreaterThan(LARGE_BODY_BYTES)
  expect(await read(bytesOf(large), 'json')).toEqual(readBody(bytesOf(large), 'json', {}))
  const lines = large.map(one => JSON.stringify(one)).join('\n')
  expect(await read(Buffer.from(lines), 'lines')).toEqual(readBody(Buffer.from(lines), 'lines', {}))
})

test('many at once, of several accounts, each get their own', async () => {
  const readOne = (index: number) => read(bytesOf([event(index), ...large]), 'json', index % 4)
  const all = await Promise.all(Array.from({ length: 20 }, (_, index) => readOne(4 * index)))
  expect(all.map(({ samples, repeated }) => samples.length + repeated)).toEqual(all.map(() => large.length + 1))
})

describe.each(['a small body', 'a large body'])('%s', size => {
  const before = size === 'a small body' ? large.slice(0, 3) : large
  const refused = (events: readonly object[]) => read(bytesOf(events), 'json')

  test('is refused whole for one bad event, which the error names', async () => {
    await expect(refused([...before, event(1, { value: 'here' })])).rejects.toMatchObject({
      status: 400,
      message: expect.stringContaining(`events[${before.length}].value of POSITION`),
    })
  })

  test('is refused when it is no JSON', async () => {
    const bytes = bytesOf(before).subarray(1)
    await expect(read(bytes, 'json')).rejects.toMatchObject({
      status: 400,
      message: 'The body is not valid JSON.',
    })
  })
})

test.each([
  ['brackets in brackets', '['.repeat(16_000_000), 400, 'The body is nested too deeply: 32 levels are the most.'],
  ['empty objects', `[${'{},'.repeat(5_000_000)}{}]`, 413, 'The body holds too many values: 1600000 are the most.'],
  ['events', `[${'{},'.repeat(100_000)}{}]`, 413, 'A request may hold at most 100000 events.'],
])('a body of nothing but %s is refused', async (_, text, status, message) => {
  await expect(read(Buffer.from(text), 'json')).rejects.toMatchObject({ status, message })
})

test('so is one of empty lines', async () => {
  await expect(read(Buffer.alloc(16_000_000, '\n'), 'lines')).rejects.toMatchObject({ status: 413 })
})
