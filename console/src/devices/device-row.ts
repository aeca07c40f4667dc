import type { Device, LastEvent, Vehicle } from '../api/types.ts'
import { type CarEntry, searchable, wordsIn } from '../fleet/car.ts'
import { type DongleState, dongleStateOf, isConnected, known, type Learned } from '../fleet/dongle-state.ts'
import type { Texts } from '../language/language.ts'
import type { DeviceFilter, DevicesSearch } from './devices-search.ts'

/** A dongle as the list shows it. */
export interface DeviceRow {
  readonly id: number
  readonly state: DongleState
  readonly firmware: string
  readonly hardware: string
  /** Known and undefined: it is in none. */
  readonly car: Learned<Pick<CarEntry, 'id' | 'name'> | undefined>
}

/** What each dongle measured last, in whichever car it was: by IMEI. */
export function eventsByDevice(vehicles: Iterable<Vehicle>): ReadonlyMap<number, readonly LastEvent[]> {
  const events = new Map<number, LastEvent[]>()
  for (const { lastEvents } of vehicles)
    for (const event of lastEvents) {
      const others = events.get(event.deviceId)
      if (others) others.push(event)
      else events.set(event.deviceId, [event])
    }
  return events
}

interface RowFacts {
  readonly device: Device
  readonly vehicles: Learned<ReadonlyMap<string, Vehicle>>
  /** From `eventsByDevice`. */
  readonly events: ReadonlyMap<number, readonly LastEvent[]>
  /** From `ownNames`. */
  readonly nameOf: (vehicle: Vehicle) => string
  readonly nowMs: number
}

export function deviceRowOf({ device, vehicles, events, nameOf, nowMs }: RowFacts): DeviceRow {
  const vehicle = known(vehicles)?.get(device.vehicleId)
  return {
    id: device.id,
    state: dongleStateOf({
      device: { is: 'known', value: device },
      events: vehicles.is === 'known' ? { is: 'known', value: events.get(device.id) ?? [] } : vehicles,
      isInTrip: device.tripId !== '',
      nowMs,
    }),
    firmware: device.firmwareVersion,
    hardware: [device.manufacturer, device.hardwareType, device.hardwareVersion].filter(Boolean).join(' '),
    car:
      vehicles.is === 'known' ? { is: 'known', value: vehicle && { id: vehicle.id, name: nameOf(vehicle) } } : vehicles,
  }
}

const MATCHES: Readonly<Record<DeviceFilter, (state: DongleState) => boolean>> = {
  all: () => true,
  online: ({ contact }) => isConnected(contact),
  offline: ({ contact }) => !isConnected(contact),
  unplugged: ({ plug }) => plug === 'out',
}

/** The rows of a filter that have every word of the search in what they say: IMEI, state, car, firmware, hardware. */
export function chosenDevices(
  rows: readonly DeviceRow[],
  { filter = 'all', search = '' }: DevicesSearch,
  { contacts, plugs }: Pick<Texts<'carState'>, 'contacts' | 'plugs'>,
): readonly DeviceRow[] {
  const isFound = wordsIn(search)
  return rows.filter(({ id, state: { contact, plug }, car, firmware, hardware }) => {
    if (!MATCHES[filter]({ contact, plug })) return false
    return isFound(
      searchable([String(id), contacts[contact.kind], plugs[plug], known(car)?.name ?? '', firmware, hardware]),
    )
  })
}
