import type { AccountReads } from '../../db/account-reads.ts'
import type { Instant } from '../../server/http/timestamps.ts'
import { cursorText, type SyncPage } from '../lists.ts'
import { areaOf, listAreas } from '../v2/areas/query.ts'
import { deviceOf, listDevices } from '../v2/devices/query.ts'
import { dtcOf, listDtcs } from '../v2/dtcs/query.ts'
import { selectTypes } from '../v2/events/query.ts'
import { readStoredPage } from '../v2/events/read-pages.ts'
import { incidentOf } from '../v2/incidents/incident.ts'
import { listIncidents } from '../v2/incidents/query.ts'
import { listRules, ruleOf } from '../v2/rules/query.ts'
import { listTrips, tripOf } from '../v2/trips/query.ts'
import { listVehicles } from '../v2/vehicles/query.ts'
import { vehicleTexts } from '../v2/vehicles/vehicle-json.ts'
import type { Selection } from './selection.ts'
import type { Change, ChangePage, Place, Source, StreamResource } from './source.ts'

/** Objects of one page at most, so that ten thousand cars are not one text of 20 MB. */
const PAGE_OBJECTS = 200

interface PageQuery {
  readonly filterTimestamp: Instant
  readonly cursor: string | undefined
  readonly maxResults: number
  readonly lowWatermark: string
}

/** The resources of a selection, read with the queries of their lists and rendered as these are. */
export function sourcesOf(reads: AccountReads, selection: Selection): Source[] {
  return selection.resources.map(name => ({
    name,
    read: (place, lowWatermark) => READERS[name](reads, selection, queryOf(place, lowWatermark)),
  }))
}

type Reader = (reads: AccountReads, selection: Selection, query: PageQuery) => Promise<ChangePage>

const READERS: Readonly<Record<StreamResource, Reader>> = {
  async vehicles(reads, { accountId, deviceId, vehicleId, hiddenTypes, lastEventTypes }, query) {
    const page = await listVehicles(reads, accountId, given({ ...query, deviceId, vehicleId }))
    const texts = await vehicleTexts(reads, page.rows, hiddenTypes, lastEventTypes)
    return changesOf(page, [...texts])
  },
  async devices(reads, { accountId, deviceId, vehicleId }, query) {
    const deviceIds = deviceId === undefined ? undefined : [deviceId]
    const page = await listDevices(reads, accountId, given({ ...query, deviceIds, vehicleId }))
    return changesOf(page, jsonOf(page.rows.map(deviceOf)))
  },
  async trips(reads, { accountId, deviceId, vehicleId, language, hidesPositions }, query) {
    const page = await listTrips(reads, accountId, given({ ...query, deviceId, vehicleId }))
    const view = { language, maySeePositions: !hidesPositions }
    return changesOf(page, jsonOf(page.rows.map(row => tripOf(row, view))))
  },
  async dtcs(reads, { accountId, deviceId, vehicleId, language }, query) {
    const page = await listDtcs(reads, accountId, given({ ...query, deviceId, vehicleId }), language)
    return changesOf(page, jsonOf(page.rows.map(row => dtcOf(row, language))))
  },
  async areas(reads, { accountId }, query) {
    const page = await listAreas(reads, accountId, given(query))
    return changesOf(page, jsonOf(page.rows.map(areaOf)))
  },
  async incidents(reads, { accountId, deviceId, vehicleId, language, hidesPositions }, query) {
    const page = await listIncidents(reads, accountId, given({ ...query, deviceId, vehicleId }))
    const view = { language, maySeePositions: !hidesPositions }
    return changesOf(page, jsonOf(page.rows.map(row => incidentOf(row, view))))
  },
  async rules(reads, { accountId }, query) {
    const page = await listRules(reads, accountId, given(query))
    return changesOf(page, jsonOf(page.rows.map(ruleOf)))
  },
  async events(reads, { accountId, deviceId, vehicleId, eventTypes, hiddenTypes }, query) {
    const { filterTimestamp, lowWatermark, cursor, maxResults } = query
    const selection = selectTypes(eventTypes, hiddenTypes)
    if (selection.sampleTypes?.length === 0) return { changes: [], place: placeAfter(lowWatermark) }
    const { page, next, modifyTimestamp } = await readStoredPage(reads, filterTimestamp, {
      scope: { accountId, deviceId, vehicleId, tripId: undefined },
      selection,
      query: given({ cursor }),
      limit: maxResults,
      lowWatermark,
    })
    const changes: Change[] = []
    for (const text of page.texts())
      changes.push({ json: Buffer.from(text, 'latin1').toString('utf8'), modified: undefined })
    return { changes, place: placeAfter(modifyTimestamp, next && cursorText(next)) }
  },
}

function queryOf({ revision, cursor }: Place, lowWatermark: string): PageQuery {
  // Revisions have the form of instants.
  return { filterTimestamp: revision as Instant, cursor, maxResults: PAGE_OBJECTS, lowWatermark }
}

/** The query without its undefined fields. */
function given<T extends object>(query: T): { readonly [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(query).filter(([, value]) => value !== undefined)) as T
}

function changesOf<Row extends { readonly modified: string }>(
  { rows, modifyTimestamp, next }: SyncPage<Row>,
  texts: readonly string[],
): ChangePage {
  const changes = rows.map(({ modified }, index) => ({ json: texts[index] ?? '', modified }))
  return { changes, place: placeAfter(modifyTimestamp, next && cursorText(next)) }
}

function jsonOf(objects: readonly object[]): string[] {
  return objects.map(object => JSON.stringify(object))
}

function placeAfter(revision: string, cursor?: string): Place {
  return { revision, cursor }
}
