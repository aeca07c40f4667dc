import type { Access } from '../src/http/access.ts'

/** What a request of a route looks like in the world of the walls. */
export interface WallFacts {
  readonly deviceId: number
  readonly vehicleId: string
  readonly tripId: string
}

/** What is expected of a route of the OpenAPI document. */
export interface Wall {
  readonly needs: Access
  /** A request that is answered 200 to the owner of the data. */
  readonly request: (facts: WallFacts) => { readonly path: string; readonly body?: unknown }
  /** The same request of another account: no such object, an empty list, refused, or the same for everybody. */
  readonly stranger: 'not found' | 'empty list' | 'refused' | 'same'
}

const BASE = '/cc/v2.0'

const list = (needs: Access, path: string): Wall => ({
  needs,
  request: () => ({ path: BASE + path }),
  stranger: 'empty list',
})
const object = (needs: Access, pathOf: (facts: WallFacts) => string): Wall => ({
  needs,
  request: facts => ({ path: BASE + pathOf(facts) }),
  stranger: 'not found',
})
const forEverybody = (needs: Access, path: string): Wall => ({ needs, request: () => ({ path }), stranger: 'same' })
const settings: Wall = {
  needs: 'settings',
  request: ({ vehicleId }) => ({ path: `${BASE}/vehicles/${vehicleId}/settings`, body: { alarmSystem: true } }),
  stranger: 'not found',
}

/** Every route of the OpenAPI document; a new one fails the walls until it stands here. */
export const WALLS: Readonly<Record<string, Wall>> = {
  [`GET ${BASE}/devices`]: list('devices', '/devices'),
  [`GET ${BASE}/devices/{deviceId}`]: object('devices', ({ deviceId }) => `/devices/${deviceId}`),
  [`GET ${BASE}/vehicles`]: list('vehicles', '/vehicles'),
  [`GET ${BASE}/vehicles/{vehicleId}`]: object('vehicles', ({ vehicleId }) => `/vehicles/${vehicleId}`),
  [`PUT ${BASE}/vehicles/{vehicleId}/settings`]: settings,
  [`POST ${BASE}/vehicles/{vehicleId}/settings`]: settings,
  [`GET ${BASE}/trips`]: list('trips', '/trips?includeDeleted=true'),
  [`GET ${BASE}/trips/{tripId}`]: object('trips', ({ tripId }) => `/trips/${tripId}`),
  [`GET ${BASE}/trip/{tripId}`]: object('trips', ({ tripId }) => `/trip/${tripId}`),
  [`GET ${BASE}/trips/{tripId}/explain`]: object('trips', ({ tripId }) => `/trips/${tripId}/explain`),
  [`GET ${BASE}/trip/{tripId}/explain`]: object('trips', ({ tripId }) => `/trip/${tripId}/explain`),
  [`GET ${BASE}/events`]: list('events', '/events'),
  [`GET ${BASE}/dtcs`]: list('dtcs', '/dtcs?includeDeleted=true'),
  [`GET ${BASE}/aggregations`]: list('aggregations', '/aggregations?bin=VEHICLE'),
  [`GET ${BASE}/eventTypes`]: forEverybody('any', `${BASE}/eventTypes`),
  [`GET ${BASE}/units`]: forEverybody('any', `${BASE}/units`),
  'POST /ingest/events': {
    needs: 'ingest',
    request: ({ deviceId }) => ({
      path: '/ingest/events',
      body: [{ deviceId, recordedTimestamp: '2020-02-22T15:00:00Z', eventType: 'GPS_SPEED', value: 48.5 }],
    }),
    stranger: 'refused',
  },
  'POST /ingest/traccar': {
    needs: 'ingest',
    request: ({ deviceId }) => ({
      path: '/ingest/traccar',
      body: {
        position: { deviceTime: '2020-02-22T15:00:00Z', attributes: { ignition: true } },
        device: { uniqueId: String(deviceId) },
      },
    }),
    stranger: 'refused',
  },
  'GET /ingest/osmand': {
    needs: 'ingest',
    request: ({ deviceId }) => ({ path: `/ingest/osmand?id=${deviceId}&timestamp=1582383600&ignition=true` }),
    stranger: 'refused',
  },
  'POST /ingest/osmand': {
    needs: 'ingest',
    request: ({ deviceId }) => ({
      path: '/ingest/osmand',
      body: {
        location: { timestamp: '2020-02-22T15:00:00Z', extras: { ignition: true } },
        device_id: String(deviceId),
      },
    }),
    stranger: 'refused',
  },
  'POST /auth/token': forEverybody('public', '/auth/token'),
  'POST /': forEverybody('public', '/'),
}
