import { replaceEqualDeep, useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import type { Device, Vehicle } from '../api/types.ts'
import { faultsQuery } from '../faults/faults-query.ts'
import { useLanguage } from '../language/language.ts'
import { useIsAllowed } from '../session/use-session.ts'
import { type Car, carOf, ownNames } from './car.ts'
import { AWAITED, FORBIDDEN, type Learned } from './dongle-state.ts'
import { devicesQuery, vehiclesQuery } from './fleet-queries.ts'
import { useNow, useThrottled } from './use-now.ts'

/** Silence is shown from minutes on, so checking the clock every minute is enough. */
const LOOK_AGAIN_MS = 60_000

/** Five times a second looks alive and leaves the browser time for everything else. */
const SHOW_AGAIN_MS = 200

interface OtherFacts {
  readonly name: string
  readonly device: Device | undefined
  readonly devicesAre: Learned<unknown>['is']
  readonly codes: FleetCodes
  readonly mayReadPositions: boolean
  readonly nowMs: number
}

const known = new WeakMap<Vehicle, OtherFacts & { readonly car: Car }>()
const carsById = new Map<string, Car>()

/** An unchanged car stays the same object, so views of ten thousand cars can tell which ones changed. */
function knownCarOf(vehicle: Vehicle, facts: OtherFacts): Car {
  const before = known.get(vehicle)
  if (before && (Object.keys(facts) as (keyof OtherFacts)[]).every(key => facts[key] === before[key])) return before.car
  const { name, device, devicesAre, codes, mayReadPositions, nowMs } = facts
  const told: Learned<Device | undefined> =
    devicesAre === 'known' ? { is: 'known', value: device } : devicesAre === 'awaited' ? AWAITED : FORBIDDEN
  const made = carOf({ vehicle, device: told, codes: codes.of(vehicle.id), mayReadPositions, nowMs }, name)
  const car = replaceEqualDeep(carsById.get(vehicle.id), made)
  carsById.set(vehicle.id, car)
  known.set(vehicle, { ...facts, car })
  return car
}

/** What a car is made of beside itself, as far as this person may know it. */
export function useOtherFacts() {
  const mayReadDevices = useIsAllowed('devices')
  const mayReadPositions = useIsAllowed('positions') ?? false
  const { data: devices } = useQuery({ ...devicesQuery, enabled: mayReadDevices === true })
  const codes = useFleetCodes()
  return { devices, mayReadDevices, mayReadPositions, codes }
}

/** All cars that are not hidden, live, and what the request for them came to. */
export function useCars() {
  const { data: latest, ...request } = useQuery(vehiclesQuery)
  const vehicles = useThrottled(latest, SHOW_AGAIN_MS)
  const { devices, mayReadDevices, mayReadPositions, codes } = useOtherFacts()
  const nowMs = useNow(LOOK_AGAIN_MS)
  const cars = useMemo((): readonly Car[] | undefined => {
    if (!vehicles) return undefined
    const devicesAre = mayReadDevices === false ? 'forbidden' : devices ? 'known' : 'awaited'
    const shared = { devicesAre, codes, mayReadPositions, nowMs } as const
    const nameOf = ownNames(vehicles.values())
    const all = [...vehicles.values()].map(vehicle =>
      knownCarOf(vehicle, {
        ...shared,
        name: nameOf(vehicle),
        device: vehicle.deviceId === null ? undefined : devices?.get(vehicle.deviceId),
      }),
    )
    return all.filter(car => !car.isHidden)
  }, [vehicles, devices, mayReadDevices, mayReadPositions, codes, nowMs])
  return { cars, ...request }
}

type CodesOfCar = Learned<readonly string[]>

const NONE: CodesOfCar = { is: 'known', value: [] }

/** The codes of each car that has any now; the page of faults shows the same list. */
interface FleetCodes {
  of(vehicleId: string): CodesOfCar
}

const FORBIDDEN_CODES: FleetCodes = { of: () => FORBIDDEN }
const AWAITED_CODES: FleetCodes = { of: () => AWAITED }

/** The fault codes of the fleet by car, live. */
function useFleetCodes(): FleetCodes {
  const language = useLanguage()
  const isAllowed = useIsAllowed('dtcs')
  const { data } = useQuery({ ...faultsQuery({ view: 'current' }, language), enabled: isAllowed === true })
  return useMemo(() => {
    if (isAllowed === false) return FORBIDDEN_CODES
    if (!data) return AWAITED_CODES
    const codes = new Map<string, Set<string>>()
    for (const { vehicleId, code, deleteTimestamp } of data.dtcs.values()) {
      if (deleteTimestamp !== null) continue
      const ofCar = codes.get(vehicleId)
      if (ofCar) ofCar.add(code)
      else codes.set(vehicleId, new Set([code]))
    }
    const learned = new Map([...codes].map(([id, of]): [string, CodesOfCar] => [id, { is: 'known', value: [...of] }]))
    // Of more codes than are read at once, those of a car may be among the rest.
    const others = data.isCut ? AWAITED : NONE
    return { of: vehicleId => learned.get(vehicleId) ?? others }
  }, [isAllowed, data])
}
