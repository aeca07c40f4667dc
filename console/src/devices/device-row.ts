import type { Device, Vehicle } from '../api/types.ts'
import { nameOf } from '../fleet/car.ts'

/** A dongle as the list shows it. */
export interface DeviceRow {
  readonly id: number
  readonly isOnline: boolean
  readonly isPluggedIn: boolean
  readonly firmware: string
  readonly hardware: string
  /** The car it is in; undefined when it is in none, or in one that is hidden. */
  readonly carId: string | undefined
  readonly carName: string | undefined
  /** When it measured last what is known of its car; undefined when nothing is. */
  readonly heardMs: number | undefined
}

export type DeviceFilter = 'all' | 'online' | 'offline' | 'unplugged'

export function deviceRowOf(device: Device, vehicle: Vehicle | undefined): DeviceRow {
  const times = vehicle?.lastEvents
    .filter(event => event.deviceId === device.id)
    .map(event => Date.parse(event.recordedTimestamp))
  return {
    id: device.id,
    isOnline: device.isOnline,
    isPluggedIn: device.isPluggedIn,
    firmware: device.firmwareVersion,
    hardware: [device.manufacturer, device.hardwareType, device.hardwareVersion].filter(Boolean).join(' '),
    carId: vehicle?.id,
    carName: vehicle && nameOf(vehicle),
    heardMs: times?.length ? Math.max(...times) : undefined,
  }
}

const MATCHES: Readonly<Record<DeviceFilter, (row: DeviceRow) => boolean>> = {
  all: () => true,
  online: row => row.isOnline,
  offline: row => !row.isOnline,
  unplugged: row => !row.isPluggedIn,
}

/** The rows of a filter that have every word of `search` in IMEI, car, firmware or hardware, in any letter case. */
export function chosenDevices(rows: readonly DeviceRow[], filter: DeviceFilter, search: string): readonly DeviceRow[] {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean)
  return rows.filter(row => {
    if (!MATCHES[filter](row)) return false
    const text = `${row.id} ${row.carName ?? ''} ${row.firmware} ${row.hardware}`.toLowerCase()
    return words.every(word => text.includes(word))
  })
}
