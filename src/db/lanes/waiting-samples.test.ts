import { expect, test } from 'vitest'
import { requiredEventType } from '../../catalogue/event-types.ts'
import { type DeviceId, sampleOf } from '../../model/sample.ts'
import { LANE_COUNT } from './lanes.ts'
import { WaitingSamples } from './waiting-samples.ts'

const SPEED = requiredEventType('VEHICLE_SPEED_AVERAGE').id

test('a device keeps its samples that wait however many others of its lane are remembered meanwhile', () => {
  const waiting = new WaitingSamples()
  const device = 64 as DeviceId
  waiting.remember(device, 1000)
  expect(waiting.lastMsOf(device)).toBe(1000)
  // Of the same transaction, whose samples are added when it has ended.
  for (let number = 2; number <= 3000; number++) waiting.remember((number * LANE_COUNT) as DeviceId, 1000)
  const sample = sampleOf(device, 2000, new Map([[SPEED, 36]]))
  waiting.add([sample])
  expect(waiting.of(device)).toEqual([sample])
  expect(waiting.count).toBe(1)
})
