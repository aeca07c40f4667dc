import type { MovementKind } from '../fleet/car-state.ts'
import { MOVEMENTS } from '../fleet/state-marks.tsx'
import { readText } from '../table/column.ts'

/** What the address of the map holds, so that a link shows what its sender saw. */
interface MapSearch {
  /** Id of the chosen vehicle. */
  readonly car?: string
  readonly search?: string
  readonly movement?: MovementKind
  /** Only cars that need attention. */
  readonly attention?: true
  /** The minute of the past that the map shows, on the clock of the person, `YYYY-MM-DDTHH:mm`. */
  readonly at?: string
  /** A place that was searched for. */
  readonly lat?: number
  readonly lon?: number
}

/** What of the address the list and the map are filtered by. */
export type AddressFilter = Pick<MapSearch, 'search' | 'movement' | 'attention'>

/** Reads the address; what is not understood is left out. */
export function mapSearch(given: Readonly<Record<string, unknown>>): MapSearch {
  return {
    car: readText(given.car),
    search: readText(given.search),
    movement: MOVEMENTS.find(kind => kind === given.movement),
    attention: given.attention === true || undefined,
    at: isMinute(given.at) ? given.at : undefined,
    ...placeOf(given),
  }
}

function placeOf({ lat, lon }: Readonly<Record<string, unknown>>): { readonly lat?: number; readonly lon?: number } {
  const isPlace = typeof lat === 'number' && typeof lon === 'number' && Math.abs(lat) <= 90 && Math.abs(lon) <= 180
  return isPlace ? { lat, lon } : {}
}

function isMinute(given: unknown): given is string {
  if (typeof given !== 'string' || !/^\d{4}-\d\d-\d\dT\d\d:\d\d$/.test(given)) return false
  const time = Date.parse(`${given}Z`)
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(given)
}
