import { shallowEqual, useThrottledValue } from '@mantine/hooks'
import { replaceEqualDeep, useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { ApiError } from '../api/api-error.ts'
import { askAll } from '../api/request.ts'
import type { Device, Vehicle } from '../api/types.ts'
import { faultsSource } from '../faults/faults-query.ts'
import { useNow } from '../language/language.ts'
import { followedList, whenLive } from '../live/live-state.ts'
import { syncedQuery } from '../live/synced-list.ts'
import { sessionQuery, useIsAllowed, useMay } from '../session/use-session.ts'
import { type Car, type CarEntry, carOf, entryOf, ownNames } from './car.ts'
import type { CarFacts } from './car-state.ts'
import { AWAITED, FORBIDDEN, known, type Learned, learned } from './dongle-state.ts'

/** The values that the fleet views need; other measurements of a car are fetched when it is opened. As the API takes them. */
export const FLEET_EVENT_TYPES = `
  POSITION GPS_COURSE GPS_SPEED VEHICLE_SPEED_AVERAGE IS_MOVING MILEAGE BATTERY_STATE BATTERY_VOLTAGE
  IS_MIL_ON OBD_DTC_COUNT OBD_DTC_PERMANENT OBD_DTC_SPORADIC IS_DONGLE_PLUGGED_IN FUEL_LEVEL
  FUEL_LEVEL_PERCENT HV_BATTERY_SOC HV_BATTERY_IS_CHARGING`
  .trim()
  .split(/\s+/)
  .join(',')

/** All cars, with the latest values of `FLEET_EVENT_TYPES`. */
export const vehicleList = followedList<string, Vehicle>(['fleet', 'vehicles'], async ({ client, signal }) => {
  // The map is the start page: users without the permission see that at once, without a request.
  const { permissions } = await client.fetchQuery(sessionQuery)
  if (!permissions.includes('vehicles')) throw new ApiError(403, '')
  await whenLive()
  const query = { lastEventTypes: FLEET_EVENT_TYPES }
  return askAll('GET /cc/v2.0/vehicles', { query, signal }, reply => reply.vehicles)
})
export const vehiclesQuery = vehicleList.query

/** All dongles by IMEI. */
export const deviceList = followedList<number, Device>(['fleet', 'devices'], async ({ signal }) => {
  await whenLive()
  return askAll('GET /cc/v2.0/devices', { signal }, reply => reply.devices)
})
export const devicesQuery = deviceList.query

/** Silence is shown from minutes on, so checking the clock every minute is enough. */
const LOOK_AGAIN_MS = 60_000

/** Five times a second looks alive and leaves the browser time for everything else. */
const SHOW_AGAIN_MS = 200

/** What a car is made of beside itself, as far as this person may know it. */
interface OtherFacts {
  readonly devices: Learned<ReadonlyMap<number, Device>>
  readonly codes: (vehicleId: string) => CarFacts['codes']
  readonly mayReadPositions: boolean
}

export function useOtherFacts(): OtherFacts {
  const mayReadDevices = useIsAllowed('devices')
  const mayReadPositions = useIsAllowed('positions') ?? false
  const { data } = useQuery({ ...devicesQuery, enabled: mayReadDevices === true })
  const codes = useFleetCodes()
  const devices = useMemo(() => learned(mayReadDevices, data), [mayReadDevices, data])
  return useMemo(() => ({ devices, codes, mayReadPositions }), [devices, codes, mayReadPositions])
}

/** All that is known of a car now. */
export function factsOf(vehicle: Vehicle, { devices, codes, mayReadPositions }: OtherFacts, nowMs: number): CarFacts {
  const deviceOf = (all: ReadonlyMap<number, Device>) =>
    vehicle.deviceId === null ? undefined : all.get(vehicle.deviceId)
  const device: CarFacts['device'] = devices.is === 'known' ? { is: 'known', value: deviceOf(devices.value) } : devices
  return { vehicle, device, codes: codes(vehicle.id), mayReadPositions, nowMs }
}

const madeOf = new WeakMap<Vehicle, { readonly of: readonly unknown[]; readonly car: Car }>()
const carsById = new Map<string, Car>()

/** An unchanged car stays the same object, so views of ten thousand cars can tell which ones changed. */
function knownCarOf(facts: CarFacts, name: string): Car {
  const { vehicle, device, codes, mayReadPositions, nowMs } = facts
  const of = [name, device.is, known(device), codes, mayReadPositions, nowMs]
  const before = madeOf.get(vehicle)
  if (before && shallowEqual(before.of, of)) return before.car
  const car = replaceEqualDeep(carsById.get(vehicle.id), carOf(facts, name))
  carsById.set(vehicle.id, car)
  madeOf.set(vehicle, { of, car })
  return car
}

/** All cars that are not hidden, live, and what the request for them came to. */
export function useCars() {
  const { data: latest, ...request } = useQuery(vehiclesQuery)
  const vehicles = useThrottledValue(latest, SHOW_AGAIN_MS)
  const others = useOtherFacts()
  const nowMs = useNow(LOOK_AGAIN_MS)
  const cars = useMemo((): readonly Car[] | undefined => {
    if (!vehicles) return undefined
    const nameOf = ownNames(vehicles.values())
    const all = [...vehicles.values()].map(vehicle => knownCarOf(factsOf(vehicle, others, nowMs), nameOf(vehicle)))
    return all.filter(car => !car.isHidden)
  }, [vehicles, others, nowMs])
  return { cars, ...request }
}

const NONE: CarFacts['codes'] = { is: 'known', value: [] }

/** The fault codes of each car, live; the page of faults shows the same list. */
function useFleetCodes(): (vehicleId: string) => CarFacts['codes'] {
  const isAllowed = useIsAllowed('dtcs')
  const { data } = useQuery({ ...syncedQuery(faultsSource({ view: 'current' })), enabled: isAllowed === true })
  return useMemo(() => {
    const codes = new Map<string, Set<string>>()
    for (const { vehicleId, code, deleteTimestamp } of data?.objects.values() ?? [])
      if (deleteTimestamp === null) codes.set(vehicleId, (codes.get(vehicleId) ?? new Set()).add(code))
    const ofCars = new Map([...codes].map(([id, of]) => [id, { is: 'known', value: [...of] } as const]))
    // Of more codes than are read at once, those of a car may be among the rest.
    const others = isAllowed === false ? FORBIDDEN : data && data.next === undefined ? NONE : AWAITED
    return vehicleId => ofCars.get(vehicleId) ?? others
  }, [isAllowed, data])
}

/**
 * All cars by id, hidden ones too, because lists of the past name them; empty without the permission. It is another map
 * only when one of these fields changed, however much a fleet that drives sends.
 */
export function useCarDirectory(): ReadonlyMap<string, CarEntry> {
  const mayReadVehicles = useMay('vehicles')
  const { data } = useQuery({ ...vehiclesQuery, enabled: mayReadVehicles, select: entriesOf })
  return useMemo(() => new Map(data?.map(entry => [entry.id, entry])), [data])
}

/**
 * Whether the names of cars are still on their way: a list that waits for them does not show ids first. So it waits for what the
 * person may see, too. What was answered once, if with an error, is not awaited again: nothing that was shown disappears.
 */
export function useAwaitsCarDirectory(): boolean {
  const { data: session, isFetched: isSessionAnswered } = useQuery(sessionQuery)
  const mayReadVehicles = session?.permissions.includes('vehicles') ?? false
  const { isFetched } = useQuery({ ...vehiclesQuery, enabled: mayReadVehicles, notifyOnChangeProps: ['isFetched'] })
  return !isSessionAnswered || (mayReadVehicles && !isFetched)
}

function entriesOf(vehicles: ReadonlyMap<string, Vehicle>): readonly CarEntry[] {
  const nameOf = ownNames(vehicles.values())
  return [...vehicles.values()].map(vehicle => entryOf(vehicle, nameOf(vehicle)))
}
