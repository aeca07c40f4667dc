import { queryClient } from '../api/query-client.ts'
import type { Device, Dtc, Trip, Vehicle } from '../api/types.ts'
import { devicesQuery, FLEET_EVENT_TYPES, vehiclesQuery } from '../fleet/fleet-queries.ts'
import { setLiveState } from './live-state.ts'
import { type LiveFrame, openLiveStream } from './live-stream.ts'

/** Lists that are worked out on the server are asked again at most this often while changes keep coming. */
const ASK_AGAIN_MS = 2000

/** Keeps what was asked of the service up to date, until the function that it returns is called. */
export function startLiveUpdates(): () => void {
  const close = openLiveStream({
    address: `/stream?lastEventTypes=${FLEET_EVENT_TYPES.join(',')}`,
    onFrame: apply,
    // What was asked before may have changed before the stream began.
    onFreshStart: () => void queryClient.invalidateQueries(),
    onState: setLiveState,
  })
  return () => {
    close()
    setLiveState('connecting')
  }
}

function apply({ resource, objects }: LiveFrame): void {
  switch (resource) {
    case 'vehicles': {
      const vehicles = objects as readonly Vehicle[]
      queryClient.setQueryData(vehiclesQuery.queryKey, known => withChanged(known, vehicles))
      for (const { id } of vehicles) askAgain(['vehicle', id])
      return
    }
    case 'devices':
      queryClient.setQueryData(devicesQuery.queryKey, known => withChanged(known, objects as readonly Device[]))
      return
    case 'trips':
      for (const { id } of objects as readonly Trip[]) askAgain(['trip', id])
      askAgain(['trips'])
      askAgain(['statistics'])
      return
    case 'dtcs':
      for (const { vehicleId } of objects as readonly Dtc[]) askAgain(['vehicle-dtcs', vehicleId])
      askAgain(['dtcs'])
      return
  }
}

/** A copy of `known` with the objects changed or added; nothing as long as nothing was asked for. */
export function withChanged<Id, T extends { readonly id: Id }>(
  known: ReadonlyMap<Id, T> | undefined,
  changed: readonly T[],
): ReadonlyMap<Id, T> | undefined {
  if (!known) return undefined
  const merged = new Map(known)
  for (const object of changed) merged.set(object.id, object)
  return merged
}

const asking = new Map<string, { isDue: boolean }>()

/** Marks what hangs on a key as out of date: at once, then at most every `ASK_AGAIN_MS`. */
function askAgain(queryKey: readonly string[]): void {
  const name = JSON.stringify(queryKey)
  const pending = asking.get(name)
  if (pending) {
    pending.isDue = true
    return
  }
  if (queryClient.getQueriesData({ queryKey }).length === 0) return
  const entry = { isDue: false }
  asking.set(name, entry)
  void queryClient.invalidateQueries({ queryKey })
  setTimeout(() => {
    asking.delete(name)
    if (entry.isDue) askAgain(queryKey)
  }, ASK_AGAIN_MS)
}
