import { AGGREGATION_TYPES, BIN_SIZES } from '../../src/api/v2/aggregations/schema.ts'

/** Everything that follows from samples, as a client reads it; ids that the server gave and stamps are left out. */
export type Looks = Readonly<Record<string, string>>

const STATISTICS = `aggregationType=${AGGREGATION_TYPES.join()}`

const PATHS = [
  '/trips?maxResults=10000',
  '/dtcs?maxResults=10000',
  '/vehicles?maxResults=10000',
  '/devices?maxResults=10000',
  ...BIN_SIZES.flatMap(size => [
    `/aggregations?bin=FLEET&binSize=${size}`,
    `/aggregations?bin=VEHICLE&binSize=${size}&${STATISTICS}`,
    `/aggregations?bin=VEHICLE&binSize=${size}&${STATISTICS}&timeZone=America/New_York`,
  ]),
]

/** @param baseUrl of the API */
export async function looksOf(baseUrl: string, key: string): Promise<Looks> {
  const looks: Record<string, string> = {}
  for (const path of PATHS) {
    const reply = await fetch(baseUrl + path, { headers: { authorization: `Bearer ${key}` } })
    const body = await reply.text()
    if (reply.status !== 200) throw new Error(`${path}: ${reply.status} ${body}`)
    looks[path] = JSON.stringify(JSON.parse(body, withoutIds), undefined, 1)
  }
  return looks
}

/** Ids of vehicles and devices follow from VIN and IMEI; those of trips, codes and addresses are counted. */
function withoutIds(this: unknown, name: string, value: unknown): unknown {
  if (name === 'modifyTimestamp') return undefined
  if (name === 'tripId') return value === '' ? '' : 'a trip'
  if (name === 'id' && isNumbered(this as object)) return undefined
  return value
}

function isNumbered(owner: object): boolean {
  return !('isOnline' in owner || 'lastEvents' in owner)
}
