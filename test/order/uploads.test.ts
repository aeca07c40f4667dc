import fc from 'fast-check'
import { expect, test } from 'vitest'
import { requiredEventType } from '../../src/catalogue/event-types.ts'
import { type DeviceId, eventsOf, type Sample, sampleOf } from '../../src/model/sample.ts'
import {
  delayed,
  IOT_DISORDER,
  inPieces,
  interleaved,
  iotUploads,
  liveFirst,
  type Packet,
  packetsOf,
  repeated,
  shuffled,
} from './uploads.ts'

const [SPEED, VOLTAGE] = (['GPS_SPEED', 'BATTERY_VOLTAGE'] as const).map(name => requiredEventType(name).id)

const samplesOf = (deviceId: number, count: number): Sample[] =>
  Array.from({ length: count }, (_, i) =>
    sampleOf(deviceId as DeviceId, i * 1000, new Map([SPEED, VOLTAGE].map(type => [type!, i]))),
  )

const samples = samplesOf(1, 1000)
const packets = packetsOf(samples, 10)
const anySeed = fc.nat({ max: 1_000_000 })
const timesMs = (sent: readonly Packet[]) => sent.flat().map(({ timeMs }) => timeMs)
const inOrder = (times: readonly number[]) => [...times].sort((a, b) => a - b)

test('packets hold all samples in their order', () => {
  expect(packets).toHaveLength(100)
  expect(packets.flat()).toEqual(samples)
})

test('pieces of an instant together hold what it held', () => {
  fc.assert(
    fc.property(anySeed, seed => {
      const pieces = inPieces(samples, 0.5, seed)
      expect(pieces.length).toBeGreaterThan(samples.length)
      const events = (of: readonly Sample[]) =>
        of.flatMap(piece => [...eventsOf(piece)].map(event => [piece.timeMs, event]))
      expect(new Set(events(pieces).map(event => JSON.stringify(event)))).toEqual(
        new Set(events(samples).map(event => JSON.stringify(event))),
      )
    }),
    { numRuns: 20 },
  )
})

test('shuffled, delayed and with the live ones first, everything comes once; repeated, some of it twice', () => {
  fc.assert(
    fc.property(anySeed, seed => {
      for (const sent of [shuffled(packets, seed), delayed(packets, 0.3, 20, seed), liveFirst(packets, 5)]) {
        expect(timesMs(sent)).not.toEqual(timesMs(packets))
        expect(inOrder(timesMs(sent))).toEqual(timesMs(packets))
      }
      const twice = repeated(packets, 0.2, seed)
      expect(twice.length).toBeGreaterThan(packets.length)
      expect(new Set(twice)).toEqual(new Set(packets))
    }),
    { numRuns: 20 },
  )
  expect(liveFirst(packets, 5)[0]).toBe(packets[95])
})

test('interleaved senders each keep their order', () => {
  const other = packetsOf(samplesOf(2, 300), 10)
  fc.assert(
    fc.property(anySeed, seed => {
      const sent = interleaved([packets, other], seed)
      expect(sent.filter(packet => packet[0]?.deviceId === 1)).toEqual(packets)
      expect(sent.filter(packet => packet[0]?.deviceId === 2)).toEqual(other)
      const first = sent.slice(0, 65).filter(packet => packet[0]?.deviceId === 2).length
      expect(first).toBeGreaterThan(3)
      expect(first).toBeLessThan(30)
    }),
    { numRuns: 20 },
  )
})

test('the disorder of the iot use case: a tenth is missing, and much of the rest comes late', () => {
  const many = samplesOf(1, 20_000)
  const { samples: kept, packets: sent } = iotUploads(many, 20, 1)
  const batchesKept = 1 - IOT_DISORDER.missingBatches
  expect(kept.length / many.length).toBeCloseTo((1 - IOT_DISORDER.missingEntries) * batchesKept, 1)
  expect(inOrder(timesMs(sent))).toEqual(kept.map(({ timeMs }) => timeMs))
  let newestMs = 0
  const late = timesMs(sent).filter(timeMs => {
    newestMs = Math.max(newestMs, timeMs)
    return timeMs < newestMs
  })
  // Who comes late makes no difference for the others, but one early one makes all after it late.
  expect(late.length / kept.length).toBeGreaterThan(IOT_DISORDER.lateEntries)
})
