import { queryClient } from '../api/query-client.ts'
import type { Area, Device, Dtc, Incident, Trip, Vehicle } from '../api/types.ts'
import { areasQuery, changedAreas } from '../areas/areas-query.ts'
import {
  changedDevices,
  changedVehicles,
  devicesQuery,
  FLEET_EVENT_TYPES,
  vehiclesQuery,
} from '../fleet/fleet-queries.ts'
import { sessionQuery } from '../session/use-session.ts'
import { askAgain } from './ask-again.ts'
import { withNewer } from './changes.ts'
import { setLiveState } from './live-state.ts'
import { type LiveFrame, openLiveStream } from './live-stream.ts'

/** Keeps cached replies up to date, until the function that it returns is called. */
export function startLiveUpdates(): () => void {
  const close = openLiveStream({
    address: `/stream?lastEventTypes=${FLEET_EVENT_TYPES.join(',')}`,
    onFrame: apply,
    onReady: how => {
      // Replies from before may have changed before the stream began.
      if (how === 'afresh') void queryClient.invalidateQueries()
      else void catchUp()
    },
    onState: setLiveState,
  })
  return () => {
    close()
    setLiveState('connecting')
  }
}

/** A resumed stream misses nothing, but requests of pages may have failed in the meantime, and permissions may have changed. */
async function catchUp(): Promise<void> {
  void queryClient.invalidateQueries({ predicate: query => query.state.status === 'error' })
  const permissions = () => queryClient.getQueryData(sessionQuery.queryKey)?.permissions.join()
  const before = permissions()
  await queryClient.invalidateQueries({ queryKey: sessionQuery.queryKey })
  if (permissions() !== before) await queryClient.invalidateQueries()
}

function apply({ resource, objects }: LiveFrame): void {
  switch (resource) {
    case 'vehicles': {
      const vehicles = objects as readonly Vehicle[]
      changedVehicles.add(vehicles)
      queryClient.setQueryData(vehiclesQuery.queryKey, known => known && withNewer(known, vehicles))
      for (const { id } of vehicles) askAgain(['vehicle', id])
      return
    }
    case 'devices': {
      const devices = objects as readonly Device[]
      changedDevices.add(devices)
      queryClient.setQueryData(devicesQuery.queryKey, known => known && withNewer(known, devices))
      return
    }
    case 'areas': {
      const areas = objects as readonly Area[]
      changedAreas.add(areas)
      queryClient.setQueryData(areasQuery.queryKey, known => known && withNewer(known, areas))
      return
    }
    case 'trips':
      for (const { id, vehicleId } of objects as readonly Trip[]) {
        askAgain(['trip', id])
        askAgain(['newest-trip', vehicleId])
      }
      askAgain(['trips'])
      askAgain(['statistics'])
      return
    case 'dtcs':
      for (const { vehicleId } of objects as readonly Dtc[]) askAgain(['vehicle-dtcs', vehicleId])
      askAgain(['dtcs'])
      return
    case 'incidents':
      for (const { id } of objects as readonly Incident[]) askAgain(['incident', id])
      askAgain(['incidents'])
      return
    case 'rules':
      askAgain(['rules'])
      return
  }
}
