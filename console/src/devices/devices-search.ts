import { readText } from '../table/column.ts'

export const DEVICE_FILTERS = ['all', 'online', 'offline', 'unplugged'] as const
export type DeviceFilter = (typeof DEVICE_FILTERS)[number]

/** What the address of the list says, so that a link, or going back, shows the same. */
export interface DevicesSearch {
  readonly filter?: DeviceFilter
  readonly search?: string
  readonly sort?: string
}

/** Reads the address as far as it makes sense; the rest counts as absent. */
export function readDevicesSearch({ filter, search, sort }: Readonly<Record<string, unknown>>): DevicesSearch {
  return {
    filter: DEVICE_FILTERS.find(name => name === filter && name !== 'all'),
    search: readText(search),
    sort: readText(sort),
  }
}
