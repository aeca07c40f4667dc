import type { Device, LastEvent, Vehicle } from '../api/types.ts'

/** What a car is doing, as far as is known. */
export type CarState = 'driving' | 'parked' | 'offline' | 'warning'

/** A car as lists and the map show it. */
export interface Car {
  readonly id: string
  /** What people call it: the plate, else make and model, else VIN or IMEI. */
  readonly name: string
  readonly plate: string
  readonly vin: string
  readonly deviceId: number | null
  readonly makeAndModel: string
  readonly state: CarState
  readonly longitude: number | undefined
  readonly latitude: number | undefined
  readonly headingDeg: number | undefined
  readonly speedKmh: number | undefined
  /** When it was measured where the car is. */
  readonly positionMs: number | undefined
  readonly tripId: string
  readonly isHidden: boolean
}

/** A parked car's dongle sleeps and wakes up now and then; after this long without a word something is wrong. */
export const SILENT_AFTER_MS = 48 * 3_600_000

const WORRYING_BATTERY = new Set(['Warning', 'Very Low', 'Empty', 'Overvoltage'])

/**
 * Puts together what the lists of vehicles and devices say of one car. A car counts as offline when its dongle went
 * silent in the middle of a trip, was pulled out, or has not been heard for two days; a sleeping one is parked.
 */
export function carOf(vehicle: Vehicle, device: Device | undefined, nowMs: number): Car {
  const latest = new Map(vehicle.lastEvents.map(event => [event.eventType, event]))
  const position = latest.get('POSITION')
  const [longitude, latitude] = pointOf(position) ?? []
  const isDriving = vehicle.tripId !== ''
  const speed = latest.get('GPS_SPEED') ?? latest.get('VEHICLE_SPEED_AVERAGE')
  return {
    id: vehicle.id,
    name: nameOf(vehicle),
    plate: vehicle.licensePlate,
    vin: vehicle.vin,
    deviceId: vehicle.deviceId,
    makeAndModel: [vehicle.make, vehicle.model].filter(Boolean).join(' '),
    state: stateOf(vehicle, device, latest, nowMs),
    longitude,
    latitude,
    headingDeg: numberOf(latest.get('GPS_COURSE')),
    speedKmh: isDriving ? numberOf(speed) : undefined,
    positionMs: position && Date.parse(position.recordedTimestamp),
    tripId: vehicle.tripId,
    isHidden: vehicle.deleteTimestamp !== null,
  }
}

export function nameOf({ licensePlate, make, model, vin, id }: Vehicle): string {
  const makeAndModel = [make, model].filter(Boolean).join(' ')
  return licensePlate || makeAndModel || vin || id.replace(/^IMEI_/, '')
}

function stateOf(
  vehicle: Vehicle,
  device: Device | undefined,
  latest: ReadonlyMap<string, LastEvent>,
  nowMs: number,
): CarState {
  const isDriving = vehicle.tripId !== ''
  // The alarm system is set by people in the settings, independent of the dongle.
  const heard = [...latest.values()].filter(event => event.eventType !== 'ALARM_SYSTEM')
  const heardMs = Math.max(0, ...heard.map(event => Date.parse(event.recordedTimestamp)))
  const isSilent = !device?.isOnline && (isDriving || nowMs - heardMs > SILENT_AFTER_MS)
  if (vehicle.deviceId === null || isSilent) return 'offline'
  const worries =
    latest.get('IS_MIL_ON')?.value === true ||
    Number(latest.get('OBD_DTC_COUNT')?.value ?? 0) > 0 ||
    WORRYING_BATTERY.has(String(latest.get('BATTERY_STATE')?.value))
  if (worries) return 'warning'
  return isDriving ? 'driving' : 'parked'
}

/** `POINT(<lon> <lat>)` (fleet-api-v2.md, *Event*). */
function pointOf(event: LastEvent | undefined): [longitude: number, latitude: number] | undefined {
  const match = /^POINT\((\S+) (\S+)\)$/.exec(String(event?.value ?? ''))
  return match ? [Number(match[1]), Number(match[2])] : undefined
}

function numberOf(event: LastEvent | undefined): number | undefined {
  return typeof event?.value === 'number' ? event.value : undefined
}
