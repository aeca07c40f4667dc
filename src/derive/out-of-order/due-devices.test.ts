import { expect, test } from 'vitest'
import type { DeviceId } from '../../model/sample.ts'
import type { DueDevice } from '../device-records/fold-states.ts'
import { DueDevices } from './due-devices.ts'

const device = (id: number, accountId: number): DueDevice => ({ deviceId: id as DeviceId, accountId })

test('long work for one account leaves room for the next one, and nothing is handed out twice', async () => {
  const all = [1, 2, 3, 4].map(id => device(id, 1))
  const due = new DueDevices(async except => all.filter(({ deviceId }) => !except.includes(deviceId)))
  const [first, second] = [await due.take(), await due.take()]
  expect([first?.deviceId, second?.deviceId]).toEqual([1, 2])
  expect(await due.take()).toBeUndefined()
  all.push(device(10, 2))
  expect((await due.take())?.deviceId).toBe(10)
  due.done(first!)
  all.shift()
  expect((await due.take())?.deviceId).toBe(3)
  expect(await due.take()).toBeUndefined()
})
