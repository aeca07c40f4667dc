import type { Permission } from '../src/catalogue/permissions.ts'
import type { Access } from '../src/server/http/access.ts'

/** What a request of a route looks like in the world of the walls. */
export interface WallFacts {
  readonly deviceId: number
  readonly vehicleId: string
  readonly tripId: string
  readonly areaId: string
  /** An area that is there to be deleted. */
  readonly goneAreaId: string
  readonly ruleId: string
  readonly incidentId: string
  /** A user and a key of the account. */
  readonly userId: string
  readonly keyId: string
  /** What a new user and a new dongle would have; the owner has them already, unless told otherwise. */
  readonly newEmail: string
  readonly newDeviceId: number
  /** A dongle that is there to be deleted. */
  readonly goneDeviceId: number
}

/** What is expected of a route of the OpenAPI document. */
export interface Wall {
  readonly needs: Access
  /** Another permission that is needed, too. */
  readonly alsoNeeds?: Permission
  /** A request that succeeds for the owner of the data. */
  readonly request: (facts: WallFacts) => { readonly path: string; readonly body?: unknown }
  /**
   * The same request of a key of another account: no such object, an empty list, what is its own, refused, refused to
   * every key, or the same for everybody.
   */
  readonly stranger: 'not found' | 'empty list' | 'own' | 'refused' | 'for users only' | 'for the operator' | 'same'
  /** A key is refused with 403, whatever its permissions are. */
  readonly isForUsers?: true
  /** Figures of the moment, different each time they are asked for. */
  readonly changes?: true
  /** How success is told; 200 unless given. */
  readonly succeeds?: 201 | 204
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
const manyIncidents = (path: string, rest: object): Wall => ({
  needs: 'incidents',
  request: ({ incidentId }) => ({
    path: `${BASE}/incidents/acknowledgements${path}`,
    body: { incidentIds: [incidentId], ...rest },
  }),
  stranger: 'empty list',
})
const settings: Wall = {
  needs: 'settings',
  request: ({ vehicleId }) => ({ path: `${BASE}/vehicles/${vehicleId}/settings`, body: { alarmSystem: true } }),
  stranger: 'not found',
}

const CIRCLE = { geometry: { type: 'Point', coordinates: [8.5, 49.1] }, radiusM: 120 }
const drawnArea = (path: string, body: object): Wall => ({
  needs: 'areas',
  request: () => ({ path: BASE + path, body }),
  stranger: 'same',
})

const administration = (stranger: Wall['stranger'], request: Wall['request'], succeeds?: 201 | 204): Wall => ({
  needs: 'administration',
  request: facts => {
    const { path, ...rest } = request(facts)
    return { path: `/admin${path}`, ...rest }
  },
  stranger,
  ...(succeeds === undefined ? {} : { succeeds }),
})

/** Every route of the OpenAPI document; a new one fails the walls until it stands here. */
export const WALLS: Readonly<Record<string, Wall>> = {
  [`GET ${BASE}/devices`]: list('devices', '/devices'),
  [`GET ${BASE}/devices/{deviceId}`]: object('devices', ({ deviceId }) => `/devices/${deviceId}`),
  [`GET ${BASE}/vehicles`]: list('vehicles', '/vehicles'),
  [`GET ${BASE}/vehicles/{vehicleId}`]: object('vehicles', ({ vehicleId }) => `/vehicles/${vehicleId}`),
  [`PUT ${BASE}/vehicles/{vehicleId}/settings`]: settings,
  [`POST ${BASE}/vehicles/{vehicleId}/settings`]: settings,
  [`GET ${BASE}/addresses`]: forEverybody('positions', `${BASE}/addresses?positions=48.1275,11.6055`),
  [`GET ${BASE}/addresses/{position}`]: forEverybody('positions', `${BASE}/addresses/48.1275,11.6055`),
  [`GET ${BASE}/positions`]: list('positions', '/positions'),
  [`GET ${BASE}/places`]: forEverybody('any', `${BASE}/places?text=karls`),
  [`GET ${BASE}/trips`]: list('trips', '/trips?includeDeleted=true'),
  [`GET ${BASE}/trips/{tripId}`]: object('trips', ({ tripId }) => `/trips/${tripId}`),
  [`GET ${BASE}/trip/{tripId}`]: object('trips', ({ tripId }) => `/trip/${tripId}`),
  [`GET ${BASE}/trips/{tripId}/explain`]: object('trips', ({ tripId }) => `/trips/${tripId}/explain`),
  [`GET ${BASE}/trip/{tripId}/explain`]: object('trips', ({ tripId }) => `/trip/${tripId}/explain`),
  [`GET ${BASE}/events`]: list('events', '/events'),
  [`GET ${BASE}/dtcs`]: list('dtcs', '/dtcs?includeDeleted=true'),
  [`GET ${BASE}/rules`]: list('rules', '/rules?includeDeleted=true'),
  [`GET ${BASE}/rules/{ruleId}`]: object('rules', ({ ruleId }) => `/rules/${ruleId}`),
  [`GET ${BASE}/rules/progress`]: { ...forEverybody('rules', `${BASE}/rules/progress`), changes: true },
  [`POST ${BASE}/rules`]: {
    needs: 'rules',
    request: ({ vehicleId }) => ({
      path: `${BASE}/rules`,
      body: { name: 'one more', kind: 'IDLING', vehicleIds: [vehicleId] },
    }),
    stranger: 'refused',
    succeeds: 201,
  },
  [`POST ${BASE}/rules/preview`]: {
    needs: 'rules',
    request: ({ vehicleId }) => ({ path: `${BASE}/rules/preview`, body: { kind: 'IDLING', vehicleIds: [vehicleId] } }),
    stranger: 'refused',
  },
  [`PUT ${BASE}/rules/{ruleId}`]: {
    needs: 'rules',
    request: ({ ruleId }) => ({ path: `${BASE}/rules/${ruleId}`, body: { name: 'idle', kind: 'IDLING' } }),
    stranger: 'not found',
  },
  [`DELETE ${BASE}/rules/{ruleId}`]: {
    ...object('rules', ({ ruleId }) => `/rules/${ruleId}`),
    succeeds: 204,
  },
  [`GET ${BASE}/rule-kinds`]: forEverybody('rules', `${BASE}/rule-kinds`),
  [`GET ${BASE}/incidents`]: list('incidents', '/incidents?includeDeleted=true'),
  [`GET ${BASE}/incidents/{incidentId}`]: object('incidents', ({ incidentId }) => `/incidents/${incidentId}`),
  [`GET ${BASE}/incidents/{incidentId}/explain`]: object(
    'incidents',
    ({ incidentId }) => `/incidents/${incidentId}/explain`,
  ),
  [`POST ${BASE}/incidents/{incidentId}/acknowledgement`]: {
    needs: 'incidents',
    request: ({ incidentId }) => ({ path: `${BASE}/incidents/${incidentId}/acknowledgement`, body: { note: 'seen' } }),
    stranger: 'not found',
  },
  [`DELETE ${BASE}/incidents/{incidentId}/acknowledgement`]: object(
    'incidents',
    ({ incidentId }) => `/incidents/${incidentId}/acknowledgement`,
  ),
  [`POST ${BASE}/incidents/acknowledgements`]: manyIncidents('', {}),
  [`POST ${BASE}/incidents/acknowledgements/withdrawal`]: manyIncidents('/withdrawal', {
    acknowledgedTimestamp: '2026-01-12T00:00:00Z',
  }),
  [`GET ${BASE}/aggregations`]: list('aggregations', '/aggregations?bin=VEHICLE'),
  [`GET ${BASE}/aggregations/hours`]: list('aggregations', '/aggregations/hours'),
  [`GET ${BASE}/areas`]: { ...list('areas', '/areas?includeDeleted=true'), stranger: 'own' },
  [`GET ${BASE}/areas/export`]: { ...list('areas', '/areas/export'), stranger: 'own' },
  [`GET ${BASE}/areas/{areaId}`]: object('areas', ({ areaId }) => `/areas/${areaId}`),
  [`GET ${BASE}/areas/{areaId}/versions`]: object('areas', ({ areaId }) => `/areas/${areaId}/versions`),
  [`POST ${BASE}/areas`]: { ...drawnArea('/areas', { name: 'One more', ...CIRCLE }), succeeds: 201 },
  [`POST ${BASE}/areas/import`]: {
    ...drawnArea('/areas/import', { geojson: CIRCLE.geometry, radiusM: 90 }),
    succeeds: 201,
  },
  [`PUT ${BASE}/areas/{areaId}`]: {
    needs: 'areas',
    request: ({ areaId }) => ({ path: `${BASE}/areas/${areaId}`, body: { name: 'Yard', ...CIRCLE } }),
    stranger: 'not found',
  },
  [`DELETE ${BASE}/areas/{areaId}`]: {
    needs: 'areas',
    request: ({ goneAreaId }) => ({ path: `${BASE}/areas/${goneAreaId}` }),
    stranger: 'not found',
    succeeds: 204,
  },
  [`GET ${BASE}/areas/{areaId}/visits`]: {
    ...object('positions', ({ areaId }) => `/areas/${areaId}/visits`),
    alsoNeeds: 'areas',
  },
  [`POST ${BASE}/visits`]: {
    needs: 'positions',
    request: () => ({ path: `${BASE}/visits`, body: CIRCLE }),
    stranger: 'same',
  },
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
  'GET /admin/users': administration('own', () => ({ path: '/users' })),
  'POST /admin/users': administration(
    'refused',
    ({ newEmail: email }) => ({
      path: '/users',
      body: { email, password: 'a long enough one', permissions: ['trips'] },
    }),
    201,
  ),
  'PATCH /admin/users/{id}': administration('not found', ({ userId }) => ({
    path: `/users/${userId}`,
    body: { permissions: ['trips'] },
  })),
  'DELETE /admin/users/{id}': administration('not found', ({ userId }) => ({ path: `/users/${userId}` }), 204),
  'GET /admin/keys': administration('own', () => ({ path: '/keys' })),
  'POST /admin/keys': administration(
    'same',
    () => ({ path: '/keys', body: { name: 'one more', permissions: ['trips'] } }),
    201,
  ),
  'POST /admin/keys/{id}/take-over': {
    ...administration('not found', ({ keyId }) => ({ path: `/keys/${keyId}/take-over` })),
    isForUsers: true,
  },
  'DELETE /admin/keys/{id}': administration('not found', ({ keyId }) => ({ path: `/keys/${keyId}` }), 204),
  // What it shows of whom: src/api/admin/security-log.test.ts.
  'GET /admin/security-log': administration('empty list', () => ({ path: '/security-log?kind=lines-lost' })),
  // What it shows to whom: src/api/admin/operation.test.ts.
  'GET /admin/operation': { ...administration('same', () => ({ path: '/operation' })), changes: true },
  'GET /admin/map': administration('same', () => ({ path: '/map' })),
  'PUT /admin/map': administration('for the operator', () => ({ path: '/map', body: { choice: 'none' } })),
  'POST /admin/devices': administration(
    'refused',
    ({ newDeviceId: deviceId }) => ({ path: '/devices', body: { deviceId } }),
    201,
  ),
  'POST /admin/devices/{deviceId}/move': administration('not found', ({ deviceId, vehicleId }) => ({
    path: `/devices/${deviceId}/move`,
    body: { vehicleId },
  })),
  'DELETE /admin/devices/{deviceId}': administration(
    'not found',
    ({ goneDeviceId }) => ({ path: `/devices/${goneDeviceId}` }),
    204,
  ),
  // What it carries to whom: test/stream-walls.test.ts.
  'GET /stream': forEverybody('any', '/stream'),
  'POST /exports': {
    needs: 'any',
    request: () => ({ path: '/exports', body: { file: 'trips' } }),
    stranger: 'same',
    succeeds: 204,
  },
  'GET /auth/session': forEverybody('any', '/auth/session'),
  // Nobody's password is reached but the caller's own.
  'POST /auth/password': {
    needs: 'user',
    request: () => ({
      path: '/auth/password',
      body: { currentPassword: 'a long enough one', newPassword: 'a long enough one' },
    }),
    stranger: 'for users only',
    succeeds: 204,
  },
  'POST /auth/revoke': forEverybody('public', '/auth/revoke'),
  'POST /auth/token': forEverybody('public', '/auth/token'),
  'POST /': forEverybody('public', '/'),
}
