import { AGGREGATION_TYPES } from '../../src/api/v2/aggregations/aggregations.ts'
import { BIN_SIZES } from '../../src/api/v2/aggregations/query.ts'
import { sql } from '../../src/db/sql.ts'
import type { TestService } from '../service.ts'

/** Everything that follows from samples, as a client reads it; ids that the server gave and revisions are left out. */
type Looks = Readonly<Record<string, string>>

const TRIPS = '/trips?maxResults=10000'
const FAULT_CODES = '/dtcs?maxResults=10000'
const STATISTICS = `aggregationType=${AGGREGATION_TYPES.join()}`

const PATHS = [
  TRIPS,
  FAULT_CODES,
  '/vehicles?maxResults=10000',
  '/devices?maxResults=10000',
  ...BIN_SIZES.flatMap(size => [
    `/aggregations?bin=FLEET&binSize=${size}`,
    `/aggregations?bin=VEHICLE&binSize=${size}&${STATISTICS}`,
    `/aggregations?bin=VEHICLE&binSize=${size}&${STATISTICS}&timeZone=America/New_York`,
  ]),
]

/** As `key` sees it. What ever was a fault code is added from the database: lists do not tell it from what never was. */
export async function looksOf({ baseUrl, database }: TestService, key: string): Promise<Looks> {
  const read = async (path: string) => {
    const reply = await fetch(baseUrl + path, { headers: { authorization: `Bearer ${key}` } })
    const body = await reply.text()
    if (reply.status !== 200) throw new Error(`${path}: ${reply.status} ${body}`)
    return body
  }
  const looks: Record<string, string> = {}
  for (const path of PATHS) looks[path] = withoutIds(await read(path))
  looks[FAULT_CODES] = sortedCodes(looks[FAULT_CODES])

  const trips = sortedTrips(await read(TRIPS))
  looks[TRIPS] = withoutIds(JSON.stringify({ trips }))
  const explained: string[] = []
  for (const { id } of trips) explained.push(withoutIds(await read(`/trips/${id}/explain`)))
  looks['why trips are as they are'] = explained.join('\n')

  const { devices } = JSON.parse(await read('/devices?maxResults=10000')) as { devices: { id: number }[] }
  const codes = await database.rows(sql`
    select d.device_id, v.public_id, d.code, d.ecu_type_id, d.dtc_type, d.encoded, d.recorded, d.deleted
    from dtcs d join vehicles v on v.id = d.vehicle_id
    where d.device_id = any(${devices.map(({ id }) => id)}::bigint[]) and not d.is_retracted
    order by 1, 2, 3, 4, 5, 6, 7`)
  looks['all fault codes'] = JSON.stringify(codes, undefined, 1)
  return looks
}

/** Trips of two dongles that begin at one instant come in the order of their ids, too. */
function sortedTrips(body: string): readonly { readonly id: string }[] {
  const { trips } = JSON.parse(body) as { trips: { id: string; tripStartTimestamp: string; deviceId: number }[] }
  const order = (trip: (typeof trips)[number]) => `${trip.tripStartTimestamp} ${trip.deviceId}`
  return trips.sort((left, right) => (order(left) < order(right) ? -1 : 1))
}

/** Codes of one instant come in the order of their ids, which they get in the order in which they are learned. */
function sortedCodes(body = ''): string {
  const { dtcs } = JSON.parse(body) as { dtcs: { recordedTimestamp: string }[] }
  const order = (dtc: { recordedTimestamp: string }) => dtc.recordedTimestamp + JSON.stringify(dtc)
  return JSON.stringify(
    dtcs.sort((left, right) => (order(left) < order(right) ? -1 : 1)),
    undefined,
    1,
  )
}

function withoutIds(body: string): string {
  return JSON.stringify(JSON.parse(body, withoutId), undefined, 1)
}

/** Ids of vehicles and devices follow from VIN and IMEI; those of trips, codes and addresses are counted. */
function withoutId(this: unknown, name: string, value: unknown): unknown {
  if (name === 'modifyTimestamp') return undefined
  if (name === 'tripId') return value === '' ? '' : 'a trip'
  if (name === 'id' && isNumbered(this as object)) return undefined
  return value
}

function isNumbered(owner: object): boolean {
  return !('isOnline' in owner || 'lastEvents' in owner)
}
