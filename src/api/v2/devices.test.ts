import { afterAll, expect, it } from 'vitest'
import { startApi } from '../../../test/api.ts'
import { fleetRows } from '../../../test/fleet-rows.ts'
import { sql } from '../../db/sql.ts'
import type { Device } from './devices.ts'

const api = await startApi()
const rows = fleetRows(api.database)
const client = await api.client('Fleet')
afterAll(() => api.stop())

it('a device has the trip that is in progress, and is listed while it is in a vehicle', async () => {
  const vehicle = await rows.vehicle(client.accountId, { deviceId: 77 })
  await rows.trip(vehicle, { start: '2020-01-01T00:00:00Z' })
  await rows.trip(vehicle, { start: '2020-01-03T00:00:00Z', isOpen: true, deleted: '2020-01-03T00:00:00Z' })
  const open = await rows.trip(vehicle, { start: '2020-01-02T00:00:00Z', isOpen: true })
  const list = async () => (await client.get('/devices')).json<{ readonly devices: readonly Device[] }>().devices
  expect(await list()).toMatchObject([{ id: 77, tripId: open }])
  await rows.change(() => sql`update assignments set to_time = now() where device_id = 77`)
  expect(await list()).toEqual([])
})
