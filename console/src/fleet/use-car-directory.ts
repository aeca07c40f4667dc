import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import type { Vehicle } from '../api/types.ts'
import { sessionQuery, useMay } from '../session/use-session.ts'
import { type CarEntry, entryOf, ownNames } from './car.ts'
import { vehiclesQuery } from './fleet-queries.ts'

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
