import type { Device, LastEvent, Vehicle } from '../src/api/types.ts'
import { type Car, carOf } from '../src/fleet/car.ts'
import type { CarFacts, CarState } from '../src/fleet/car-state.ts'

// Cars as the service returns them.

const NOW = '2026-03-02T12:00:00.000Z'
export const NOW_MS = Date.parse(NOW)
const IMEI = 356_307_042_441_013

export function event(eventType: string, value: LastEvent['value'], ageMs = 0, deviceId = IMEI): LastEvent {
  const dataType = typeof value === 'number' ? 'NUMBER' : typeof value === 'boolean' ? 'BOOLEAN' : 'STRING'
  return { deviceId, recordedTimestamp: new Date(NOW_MS - ageMs).toISOString(), eventType, dataType, value }
}

export function vehicleWith(lastEvents: LastEvent[], more: Partial<Vehicle> = {}): Vehicle {
  const unknown = { tecDocMakeId: 0, tecDocModelId: 0, tecDocVehicleId: 0, vehicle: '', fuelType: '', kba: '' }
  const known = { id: `IMEI_${IMEI}`, vin: '', make: '', model: '', licensePlate: '', deviceId: IMEI, tripId: '' }
  return { ...unknown, ...known, lastEvents, modifyTimestamp: NOW, deleteTimestamp: null, ...more }
}

export function deviceThat(isOnline: boolean, isPluggedIn = isOnline): Device {
  const unknown = { manufacturer: '', hardwareType: '', hardwareVersion: '', firmwareVersion: '', tripId: '' }
  return { ...unknown, id: IMEI, isOnline, isPluggedIn, vehicleId: `IMEI_${IMEI}`, modifyTimestamp: NOW }
}

/** What somebody with every permission knows, of a dongle that is not online. */
export function factsOf(lastEvents: LastEvent[], more: Partial<Omit<CarFacts, 'vehicle'>> = {}): CarFacts {
  const vehicle = vehicleWith(lastEvents)
  const device = { is: 'known', value: deviceThat(false) } as const
  return { vehicle, device, codes: { is: 'known', value: [] }, mayReadPositions: true, nowMs: NOW_MS, ...more }
}

/** A parked car somewhere, whose health is unknown. */
export function carCalled(name: string, state: Partial<CarState> = {}): Car {
  const made = carOf({
    ...factsOf([event('MILEAGE', 1)]),
    vehicle: vehicleWith([event('MILEAGE', 1)], { id: name, licensePlate: name }),
  })
  return { ...made, state: { ...made.state, ...state } }
}
