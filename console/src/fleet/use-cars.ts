import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { useMay } from '../session/use-session.ts'
import { type Car, carOf } from './car.ts'
import { devicesQuery, vehiclesQuery } from './fleet-queries.ts'
import { useNow } from './use-now.ts'

/** Silence is told from two days, so a look at the clock every minute is enough. */
const LOOK_AGAIN_MS = 60_000

/** All cars that are not hidden, live, and what the request for them came to. */
export function useCars() {
  const mayReadDevices = useMay('devices')
  const { data: vehicles, ...request } = useQuery(vehiclesQuery)
  const { data: devices } = useQuery({ ...devicesQuery, enabled: mayReadDevices })
  const nowMs = useNow(LOOK_AGAIN_MS)
  const cars = useMemo((): readonly Car[] | undefined => {
    if (!vehicles) return undefined
    const all = [...vehicles.values()].map(vehicle =>
      carOf(vehicle, vehicle.deviceId === null ? undefined : devices?.get(vehicle.deviceId), nowMs),
    )
    return all.filter(car => !car.isHidden)
  }, [vehicles, devices, nowMs])
  return { cars, ...request }
}
