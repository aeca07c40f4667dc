import { useQuery } from '@tanstack/react-query'
import type { Vehicle } from '../api/types.ts'
import { vehiclesQuery } from '../fleet/fleet-queries.ts'
import { useMay } from '../session/use-session.ts'

/** Ids of the cars whose malfunction indicator lamp is on; undefined while or where that can not be known. */
export function useLampCars(): readonly string[] | undefined {
  const mayReadVehicles = useMay('vehicles')
  return useQuery({ ...vehiclesQuery, enabled: mayReadVehicles, select: withLampOn }).data
}

function withLampOn(vehicles: ReadonlyMap<string, Vehicle>): readonly string[] {
  const isOn = ({ deleteTimestamp, lastEvents }: Vehicle) =>
    deleteTimestamp === null && lastEvents.some(({ eventType, value }) => eventType === 'IS_MIL_ON' && value === true)
  return [...vehicles.values()].filter(isOn).map(({ id }) => id)
}
