import { eventTypeById, requiredEventType } from '../../../catalogue/event-types.ts'
import { millisecondText } from '../../../server/http/timestamps.ts'
import type { Language } from '../../language.ts'
import type { AddressRow, TripRow } from './query.ts'
import type { Address, Trip, TripAggregation } from './schema.ts'

/** What a caller may see of trips, and in which language. */
export interface TripView {
  readonly language: Language
  /** Without it, addresses and polylines are left out (decisions.md, *Replies*, 403). */
  readonly maySeePositions: boolean
}

/**
 * A trip as a caller sees it. One that was merged away has no distance, duration and aggregations, so that nobody
 * counts it twice (decisions.md, *Replies*, deleted trips).
 */
export function tripOf(row: TripRow, view: TripView): Trip {
  const isDeleted = row.deleted !== null
  return {
    id: String(row.id),
    deviceId: row.deviceId,
    vehicleId: row.vehicleId,
    tripStartAddress: view.maySeePositions ? addressOf(row.startAddress, view.language) : null,
    tripEndAddress: view.maySeePositions ? addressOf(row.endAddress, view.language) : null,
    distance: isDeleted ? 0 : row.metres / 1000,
    duration: isDeleted ? 0 : row.seconds,
    tripStartTimestamp: millisecondText(row.start),
    tripEndTimestamp: millisecondText(row.end),
    aggregations: isDeleted ? [] : aggregationsOf(row, view),
    deleteTimestamp: row.deleted === null ? null : millisecondText(row.deleted),
    modifyTimestamp: row.modified,
  }
}

/** An address in a language, or in another one that is known. */
export function addressOf(row: AddressRow | null, language: Language): Address | null {
  if (!row) return null
  const wanted = row.texts[language]
  // A name in the other language is better than none.
  const other = row.texts[language === 'en' ? 'de' : 'en']
  const part = (name: string) => wanted?.[name] || other?.[name] || ''
  return {
    id: String(row.id),
    road: part('road'),
    houseNumber: part('houseNumber'),
    suburb: part('suburb'),
    locality: part('locality'),
    state: part('state'),
    country: part('country'),
    postcode: part('postcode'),
    lat: row.lat,
    lon: row.lon,
  }
}

const POSITION = requiredEventType('POSITION')

function aggregationsOf(row: TripRow, view: TripView): TripAggregation[] {
  const items: TripAggregation[] = []
  for (const [id, { start, end }] of Object.entries(row.meters)) {
    const { name, dataType, unit, unitId } = eventTypeById(Number(id))
    const item = { eventType: name, dataType, unit_id: unitId, unit }
    if (end !== undefined) items.push({ ...item, aggregationType: 'END', value: end })
    if (start !== undefined) items.push({ ...item, aggregationType: 'START', value: start })
  }
  if (view.maySeePositions && row.polyline !== '') {
    const { name, dataType } = POSITION
    items.push({ eventType: name, dataType, aggregationType: 'POLYLINE', value: row.polyline })
  }
  return items.sort((a, b) => compare(a.eventType, b.eventType) || compare(a.aggregationType, b.aggregationType))
}

function compare(a: string, b: string): number {
  if (a === b) return 0
  return a < b ? -1 : 1
}
