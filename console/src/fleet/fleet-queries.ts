import { queryOptions } from '@tanstack/react-query'
import { ApiError } from '../api/api-error.ts'
import { askPage } from '../api/request.ts'
import type { Device, Vehicle } from '../api/types.ts'
import { ChangesMeanwhile } from '../live/changes.ts'
import { whenLive } from '../live/live-state.ts'
import { sessionQuery } from '../session/use-session.ts'

/** The values that the fleet views need; other measurements of a car are fetched when it is opened. As the API takes them. */
export const FLEET_EVENT_TYPES = `
  POSITION GPS_COURSE GPS_SPEED VEHICLE_SPEED_AVERAGE IS_MOVING MILEAGE BATTERY_STATE BATTERY_VOLTAGE
  IS_MIL_ON OBD_DTC_COUNT OBD_DTC_PERMANENT OBD_DTC_SPORADIC IS_DONGLE_PLUGGED_IN FUEL_LEVEL
  FUEL_LEVEL_PERCENT HV_BATTERY_SOC HV_BATTERY_IS_CHARGING`
  .trim()
  .split(/\s+/)
  .join(',')

const PAGE_SIZE = 10_000

/** Kept up to date by the live stream. */
export const changedVehicles = new ChangesMeanwhile<string, Vehicle>()
export const changedDevices = new ChangesMeanwhile<number, Device>()

/** All cars by id, with the latest values of `FLEET_EVENT_TYPES`; kept up to date by the live stream. */
export const vehiclesQuery = queryOptions({
  queryKey: ['fleet', 'vehicles'],
  staleTime: Number.POSITIVE_INFINITY,
  queryFn: async ({ client, signal }): Promise<ReadonlyMap<string, Vehicle>> => {
    // The map is the start page: users without the permission see that at once, without a request.
    const { permissions } = await client.fetchQuery(sessionQuery)
    if (!permissions.includes('vehicles')) throw new ApiError(403, '')
    await whenLive()
    return changedVehicles.during(async () => {
      const vehicles = new Map<string, Vehicle>()
      const query = { maxResults: PAGE_SIZE, lastEventTypes: FLEET_EVENT_TYPES }
      let next: string | undefined
      do {
        const page = await askPage('GET /cc/v2.0/vehicles', { query, next, signal })
        for (const vehicle of page.reply.vehicles) vehicles.set(vehicle.id, vehicle)
        next = page.next
      } while (next !== undefined)
      return vehicles
    })
  },
})

/** All dongles by IMEI; kept up to date by the live stream. */
export const devicesQuery = queryOptions({
  queryKey: ['fleet', 'devices'],
  staleTime: Number.POSITIVE_INFINITY,
  queryFn: async ({ signal }): Promise<ReadonlyMap<number, Device>> => {
    await whenLive()
    return changedDevices.during(async () => {
      const devices = new Map<number, Device>()
      let next: string | undefined
      do {
        const page = await askPage('GET /cc/v2.0/devices', { query: { maxResults: PAGE_SIZE }, next, signal })
        for (const device of page.reply.devices) devices.set(device.id, device)
        next = page.next
      } while (next !== undefined)
      return devices
    })
  },
})
