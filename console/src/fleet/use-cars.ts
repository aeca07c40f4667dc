import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import type { Device, Vehicle } from '../api/types.ts'
import { useMay } from '../session/use-session.ts'
import { type Car, carOf } from './car.ts'
import { devicesQuery, vehiclesQuery } from './fleet-queries.ts'
import { useNow } from './use-now.ts'
import { useThrottled } from './use-throttled.ts'

/** Silence is shown from two days on, so checking the clock every minute is enough. */
const LOOK_AGAIN_MS = 60_000

/** Five times a second looks alive and leaves the browser time for everything else. */
const SHOW_AGAIN_MS = 200

interface KnownCar {
  readonly device: Device | undefined
  readonly nowMs: number
  readonly car: Car
}

const known = new WeakMap<Vehicle, KnownCar>()

/** An unchanged car stays the same object, so views of ten thousand cars can tell which ones changed. */
function knownCarOf(vehicle: Vehicle, device: Device | undefined, nowMs: number): Car {
  const before = known.get(vehicle)
  if (before && before.device === device && before.nowMs === nowMs) return before.car
  const made = carOf(vehicle, device, nowMs)
  const car = before && isSame(before.car, made) ? before.car : made
  known.set(vehicle, { device, nowMs, car })
  return car
}

function isSame(one: Car, other: Car): boolean {
  return (Object.keys(one) as (keyof Car)[]).every(key => one[key] === other[key])
}

/** All cars that are not hidden, live, and what the request for them came to. */
export function useCars() {
  const mayReadDevices = useMay('devices')
  const { data: latest, ...request } = useQuery(vehiclesQuery)
  const vehicles = useThrottled(latest, SHOW_AGAIN_MS)
  const { data: devices } = useQuery({ ...devicesQuery, enabled: mayReadDevices })
  const nowMs = useNow(LOOK_AGAIN_MS)
  const cars = useMemo((): readonly Car[] | undefined => {
    if (!vehicles) return undefined
    const all = [...vehicles.values()].map(vehicle =>
      knownCarOf(vehicle, vehicle.deviceId === null ? undefined : devices?.get(vehicle.deviceId), nowMs),
    )
    return all.filter(car => !car.isHidden)
  }, [vehicles, devices, nowMs])
  return { cars, ...request }
}
