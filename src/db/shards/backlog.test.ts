import { expect, test } from 'vitest'
import { requiredEventType } from '../../catalogue/event-types.ts'
import { type DeviceId, sampleOf } from '../../model/sample.ts'
import { Backlog } from './backlog.ts'
import { SHARD_COUNT } from './shards.ts'

const SPEED = requiredEventType('VEHICLE_SPEED_AVERAGE').id

test('a device keeps its samples that wait however many others of its shard are remembered meanwhile', () => {
  const backlog = new Backlog()
  const device = 64 as DeviceId
  backlog.remember(device, 1000)
  expect(backlog.lastMsOf(device)).toBe(1000)
  // Of the same transaction, whose samples are added when it has ended.
  for (let number = 2; number <= 3000; number++) backlog.remember((number * SHARD_COUNT) as DeviceId, 1000)
  const sample = sampleOf(device, 2000, new Map([[SPEED, 36]]))
  backlog.add([sample])
  expect(backlog.of(device)).toEqual([sample])
  expect(backlog.count).toBe(1)
})
