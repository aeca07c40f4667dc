import { useQuery } from '@tanstack/react-query'
import type { Vehicle } from '../api/types.ts'
import { readsFaults } from '../fleet/car-state.ts'
import { vehiclesQuery } from '../fleet/fleet-queries.ts'
import { useMay } from '../session/use-session.ts'

/** Ids of the cars whose malfunction indicator lamp is on; undefined while or where that cannot be known. */
export function useLampCars(): readonly string[] | undefined {
  const mayReadVehicles = useMay('vehicles')
  return useQuery({ ...vehiclesQuery, enabled: mayReadVehicles, select: withLampOn }).data
}

/**
 * Of how many cars it is known whether they have faults, as their dongles read codes or the lamp; and how many there
 * are. Undefined while or where that cannot be known.
 */
export function useReadingCars(): { readonly reading: number; readonly all: number } | undefined {
  const mayReadVehicles = useMay('vehicles')
  return useQuery({ ...vehiclesQuery, enabled: mayReadVehicles, select: readingOf }).data
}

function readingOf(vehicles: ReadonlyMap<string, Vehicle>) {
  const shown = [...vehicles.values()].filter(({ deleteTimestamp }) => deleteTimestamp === null)
  return { reading: shown.filter(({ lastEvents }) => readsFaults(lastEvents)).length, all: shown.length }
}

function withLampOn(vehicles: ReadonlyMap<string, Vehicle>): readonly string[] {
  const isOn = ({ deleteTimestamp, lastEvents }: Vehicle) =>
    deleteTimestamp === null && lastEvents.some(({ eventType, value }) => eventType === 'IS_MIL_ON' && value === true)
  return [...vehicles.values()].filter(isOn).map(({ id }) => id)
}
