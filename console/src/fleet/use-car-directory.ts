import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import type { Vehicle } from '../api/types.ts'
import { sessionQuery, useMay } from '../session/use-session.ts'
import { ownNames } from './car.ts'
import { vehiclesQuery } from './fleet-queries.ts'

/** What lists say of a car beside what they are about. */
export interface CarEntry {
  readonly id: string
  /** What people call it, with the end of its id where several are called so. */
  readonly name: string
  readonly plate: string
  readonly vin: string
  readonly deviceId: number | null
  readonly makeAndModel: string
  readonly group: string
  /** The trip in progress; empty when not driving. */
  readonly tripId: string
  readonly isHidden: boolean
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
  const ownNameOf = ownNames(vehicles.values())
  return [...vehicles.values()].map(vehicle => ({
    id: vehicle.id,
    name: ownNameOf(vehicle),
    makeAndModel: [vehicle.make, vehicle.model].filter(Boolean).join(' '),
    group: vehicle.group ?? '',
    plate: vehicle.licensePlate,
    vin: vehicle.vin,
    deviceId: vehicle.deviceId,
    tripId: vehicle.tripId,
    isHidden: vehicle.deleteTimestamp !== null,
  }))
}
