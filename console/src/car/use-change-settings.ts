import { useMutation, useQueryClient } from '@tanstack/react-query'
import { ask } from '../api/request.ts'
import type { Settings } from '../api/schema.ts'
import { vehicleQuery } from './vehicle-queries.ts'

/** Changes settings of a car, and refetches the car before it counts as done. */
export function useChangeSettings(vehicleId: string) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: async (settings: Settings) => {
      await ask('PUT /cc/v2.0/vehicles/{vehicleId}/settings', { path: { vehicleId }, body: { settings } })
      await client.invalidateQueries({ queryKey: vehicleQuery(vehicleId).queryKey })
    },
  })
}
