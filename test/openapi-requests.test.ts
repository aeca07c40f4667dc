import fc from 'fast-check'
import { afterAll, describe, expect, it } from 'vitest'
import { imeiOf } from '../lab/simulation/imei.ts'
import { deep } from './deep.ts'
import { ingestClient } from './ingest-client.ts'
import { checkerOf, expectDocumented, openApiDocument } from './openapi-conformity.ts'
import { type Schema, spoilt, valuesOf, wrongTexts } from './openapi-values.ts'
import { sendRaw } from './raw-http.ts'
import { startService } from './service.ts'

const RUNS = { numRuns: deep(2), endOnFailure: true } as const

interface Parameter {
  readonly name: string
  readonly in: 'path' | 'query' | 'header'
  readonly required?: boolean
  readonly schema: Schema
}

interface Operation {
  readonly name: string
  readonly method: string
  readonly path: string
  readonly parameters: readonly Parameter[]
  readonly body: Schema | undefined
  readonly statuses: readonly string[]
}

interface Sent {
  readonly path: Readonly<Record<string, string>>
  readonly query: Readonly<Record<string, string>>
  readonly body?: unknown
}

/**
 * Where a request that is as documented may be refused all the same: what a schema cannot say, such as what the check
 * digit of an IMEI must be, or which values fit an event type. What the message must say then.
 */
const REFUSED_FOR_MORE: Readonly<Record<string, RegExp>> = {
  'POST /cc/v2.0/areas': /^(geometry|name) /,
  'PUT /cc/v2.0/areas/{areaId}': /^(geometry|name) /,
  'GET /cc/v2.0/areas/{areaId}/visits': /^fromTimestamp must be at most/,
  'POST /cc/v2.0/visits': /^geometry |^fromTimestamp must be at most/,
  'POST /cc/v2.0/areas/import': /^(Area 1 of the file|The file|The body) /,
  'GET /cc/v2.0/incidents': / cannot be used with filterTimestamp: /,
  'POST /cc/v2.0/rules': /^(vehicleIds|parameters|hours|fromTimestamp|name)[ .]/,
  'PUT /cc/v2.0/rules/{ruleId}': /^(vehicleIds|parameters|hours|fromTimestamp|name)[ .]/,
  'POST /cc/v2.0/rules/preview': /^The period |^(vehicleIds|parameters|hours|fromTimestamp|toTimestamp)[ .]/,
  'POST /ingest/events': /\.(value|unit|unitId|dataType) of |\.recordedTimestamp lies|is not a device of this account/,
  'POST /ingest/traccar': /device\.uniqueId|deviceTime/,
  'GET /ingest/osmand': /^(id|timestamp|lat|lon|location|key|The parameter id) /,
  'POST /ingest/osmand': /device_id|timestamp|(latitude|longitude) must/,
  'GET /cc/v2.0/events': /maxPoints|^(cursor|toTimestamp)/,
  'GET /cc/v2.0/addresses/{position}': /^position must be/,
  'GET /cc/v2.0/addresses': /^positions must be/,
  'POST /admin/devices': /^deviceId |on one line/,
  'POST /admin/users': /^There is a user|password/i,
  'PATCH /admin/users/{id}': /password/i,
  'POST /admin/devices/{deviceId}/move': /^(vehicleId|licensePlate|vin|fromTimestamp|Exactly one)/,
  'POST /admin/keys': /^(name|expiresTimestamp)/,
  'PUT /cc/v2.0/vehicles/{vehicleId}/settings': /^(vin|numberPlate|make|model|fuelType|color|group)/,
  'POST /cc/v2.0/vehicles/{vehicleId}/settings': /^(vin|numberPlate|make|model|fuelType|color|group)/,
  'GET /stream': /^eventTypes must name/,
  'POST /auth/token': /wrong|valid/,
  'POST /': /wrong|valid/,
}
/** Of every list: pages are handed out by the service, and a zone must be one of the world's. */
const REFUSED_ANYWHERE = /^(cursor|timeZone) /

const OWN_KEY_ID = 1_879_460_321

const document = await openApiDocument()
const service = await startService({ UNKNOWN_DEVICES: 'accept' })
for (const account of ['Fleet', 'Fleet', 'Other']) await service.key(account)
// These have the ids that made-up requests find, and revoke. That of the test is out of their reach.
await service.database.writers.query(`alter table api_keys alter column id restart with ${OWN_KEY_ID}`)
const key = await service.key('Fleet')
const deviceId = imeiOf('35630704', 1)
const vehicleId = `IMEI_${deviceId}`
const event = { deviceId, recordedTimestamp: '2020-02-22T14:37:07Z', eventType: 'GPS_SPEED', value: 48 }
await ingestClient(service.intakeUrl, key).store([event])
afterAll(() => service.stop())

async function send({ method, path }: Operation, { path: ids, query, body }: Sent) {
  const target = path.replace(/\{(\w+)\}/g, (_match, name: string) => encodeURIComponent(ids[name] ?? ''))
  const search = new URLSearchParams(query).toString()
  const isForToken = path.startsWith('/auth/token') || path.startsWith('/auth/revoke') || path === '/'
  const reply = await fetch(service.url + target + (search ? `?${search}` : ''), {
    method,
    headers: {
      ...(isForToken ? {} : { authorization: `Bearer ${key}` }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  const isStream = reply.headers.get('content-type')?.startsWith('text/event-stream') === true
  if (isStream) await reply.body?.cancel()
  return {
    status: reply.status,
    headers: Object.fromEntries(reply.headers),
    text: isStream ? '' : await reply.text(),
    isStream,
  }
}

/** Cut short of the document: what a test of requests needs of its operations. */
async function operations(): Promise<readonly Operation[]> {
  const { paths } = await openApiDocument()
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, described]): Operation => {
      const {
        parameters = [],
        requestBody,
        responses,
      } = described as unknown as {
        parameters?: readonly Parameter[]
        requestBody?: { content: Readonly<Record<string, { schema: Schema }>> }
        responses: object
      }
      return {
        name: `${method.toUpperCase()} ${path}`,
        method: method.toUpperCase(),
        path,
        parameters: parameters.filter(parameter => parameter.in !== 'header'),
        body: requestBody?.content['application/json']?.schema,
        statuses: Object.keys(responses),
      }
    }),
  )
}

const OPERATIONS = await operations()

/** Parameters and body as documented, each parameter there or not. */
function requestsOf({ parameters, body }: Operation): fc.Arbitrary<Sent> {
  const { schemas } = document.components
  const textOf = ({ name, schema, in: place }: Parameter) =>
    name === 'vehicleId'
      ? fc.constant(vehicleId)
      : valuesOf(schema, schemas)
          .map(String)
          // Nothing of these is left of a path, and a blank id leads to no object.
          .filter(text => place !== 'path' || !['', '.', '..'].includes(text.trim()))
  const those = (place: Parameter['in']) => parameters.filter(parameter => parameter.in === place)
  const textsOf = (place: Parameter['in'], requiredKeys: string[]) =>
    fc
      .record(Object.fromEntries(those(place).map(parameter => [parameter.name, textOf(parameter)])), { requiredKeys })
      .map(texts => texts as Readonly<Record<string, string>>)
  const names = those('path').map(({ name }) => name)
  const isAsDocumented = body && checkerOf(document, body)
  const bodies = body
    ? valuesOf(body, schemas).filter(value => isAsDocumented?.(value) === true)
    : fc.constant(undefined)
  return fc
    .tuple(textsOf('path', names), textsOf('query', []), bodies)
    .map(([path, query, sent]) => ({ path, query: withRange(query), ...(body ? { body: sent } : {}) }))
}

/** A range that ends before it begins holds nothing, and some lists say so. */
function withRange(query: Sent['query']): Sent['query'] {
  const { fromTimestamp, toTimestamp } = query
  if (fromTimestamp === undefined || toTimestamp === undefined || fromTimestamp < toTimestamp) return query
  return { ...query, fromTimestamp: toTimestamp, toTimestamp: fromTimestamp }
}

it.each(OPERATIONS)('a request that is as the document says, $name, is not refused for its form', async operation => {
  await fc.assert(
    fc.asyncProperty(requestsOf(operation), async request => {
      const { status, headers, text, isStream } = await send(operation, request)
      if (!isStream)
        await expectDocumented({ statusCode: status, headers, body: text }, operation.method, operation.path)
      expect([status, text]).not.toEqual([expect.toSatisfy((code: number) => code >= 500), text])
      if (status !== 400) return
      const { errorMessage } = JSON.parse(text) as { errorMessage: string }
      const isForMore = REFUSED_ANYWHERE.test(errorMessage) || REFUSED_FOR_MORE[operation.name]?.test(errorMessage)
      if (!isForMore) throw new Error(`refused though it is as documented: ${errorMessage}`)
    }),
    RUNS,
  )
})

describe('a request that is not as the document says is refused', () => {
  const withBodies = OPERATIONS.filter(({ body }) => body)
  it.each(withBodies)('$name: in its body', async operation => {
    const { body = {} } = operation
    const isAsDocumented = checkerOf(document, body)
    const wrong = spoilt(requestsOf(operation).map(request => request.body)).filter(value => !isAsDocumented(value))
    await fc.assert(
      fc.asyncProperty(fc.tuple(requestsOf(operation), wrong), async ([request, sent]) => {
        const { status, text } = await send(operation, { ...request, query: {}, body: sent })
        expect([status, text]).toEqual([expect.toBeOneOf([400, 401, 403, 413]), text])
      }),
      RUNS,
    )
  })

  const parametersOf = OPERATIONS.flatMap(operation =>
    operation.parameters.flatMap(parameter =>
      wrongTexts(parameter.schema).map(text => ({
        operation,
        parameter,
        text,
        name: `${operation.name} ${parameter.name}`,
      })),
    ),
  )
  it('in each of its parameters', async () => {
    expect(parametersOf.length).toBeGreaterThan(100)
    const answered: string[] = []
    for (const { operation, parameter, text, name } of parametersOf) {
      const ids = { vehicleId, deviceId: '1', tripId: '1', areaId: '1', ruleId: '1', id: '1' }
      const [path, query] =
        parameter.in === 'path' ? [{ ...ids, [parameter.name]: text }, {}] : [ids, { [parameter.name]: text }]
      const reply = await send(operation, { path, query, ...(operation.body ? { body: {} } : {}) })
      if (reply.status !== 400) answered.push(`${name}=${text}: ${reply.status} ${reply.text.slice(0, 80)}`)
    }
    expect(answered).toEqual([])
  })
})

it('TRACE, like every method that a path does not have, is answered 405 with those that it has', async () => {
  for (const path of Object.keys(document.paths).filter(one => !one.startsWith('/ingest'))) {
    const target = path.replaceAll(/\{\w+\}/g, '1')
    const { status, headers } = await sendRaw(service.url, { method: 'TRACE', target })
    expect([path, status, headers.allow]).toEqual([path, 405, expect.stringMatching(/GET|POST|PUT|PATCH|DELETE/)])
  }
})
