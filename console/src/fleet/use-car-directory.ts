import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import type { Vehicle } from '../api/types.ts'
import { useMay } from '../session/use-session.ts'
import { nameOf } from './car.ts'
import { vehiclesQuery } from './fleet-queries.ts'

/** What lists say of a car beside what they are about. */
export interface CarEntry {
  readonly id: string
  readonly name: string
  readonly makeAndModel: string
  readonly vin: string
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

function entriesOf(vehicles: ReadonlyMap<string, Vehicle>): readonly CarEntry[] {
  return [...vehicles.values()].map(vehicle => ({
    id: vehicle.id,
    name: nameOf(vehicle),
    makeAndModel: [vehicle.make, vehicle.model].filter(Boolean).join(' '),
    vin: vehicle.vin,
    tripId: vehicle.tripId,
    isHidden: vehicle.deleteTimestamp !== null,
  }))
}
