import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { devicesQuery } from '../fleet/fleet-queries.ts'
import { type CarEntry, useCarDirectory } from '../fleet/use-car-directory.ts'

/** A select shows at most this many of what matches. */
export const OFFERED = 50

/** The dongles of the account with the cars that they are in, for a select. */
export function useDeviceChoices() {
  const { data: devices } = useQuery(devicesQuery)
  const cars = useCarDirectory()
  return useMemo(
    () =>
      [...(devices?.values() ?? [])].map(({ id, vehicleId }) => {
        const carName = ownNameOf(cars.get(vehicleId), id)
        return { value: String(id), label: carName === undefined ? String(id) : `${id} (${carName})`, carName }
      }),
    [devices, cars],
  )
}

/** undefined when the car has no name, so that it is called by its dongle. */
function ownNameOf(car: CarEntry | undefined, imei: number): string | undefined {
  return car === undefined || car.name === String(imei) ? undefined : car.name
}
