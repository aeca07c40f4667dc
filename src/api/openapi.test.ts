import { readFile } from 'node:fs/promises'
import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import pino from 'pino'
import { Type } from 'typebox'
import { describe, expect, it } from 'vitest'
import { type OpenApiDocument, openApiDocument } from '../../test/openapi-conformity.ts'
import { createCallerLookup } from '../access/callers.ts'
import { readConfig } from '../config.ts'
import { openDatabase } from '../db/database.ts'
import { SYSTEM_CLOCK } from '../lib/clock.ts'
import { createMetrics } from '../server/http/health.ts'
import { MachineWatch } from '../server/watch/machine-watch.ts'
import type { DocumentedRoute } from './openapi.ts'
import { createApiServer } from './server.ts'

interface Operation {
  readonly operationId: string
  readonly tags: readonly string[]
  readonly summary: string
  readonly security: readonly object[]
  readonly description?: string
  readonly parameters?: readonly { readonly name: string; readonly in: string; readonly schema: object }[]
  readonly responses: Readonly<Record<string, { readonly description: string }>>
}

const document = (await openApiDocument()) as OpenApiDocument & {
  readonly tags: readonly { readonly name: string }[]
  readonly openapi: string
}
const operations = operationsOf(document)

function operationsOf(described: OpenApiDocument): Map<string, Operation> {
  return new Map(
    Object.entries(described.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(
        ([method, operation]) => [`${method.toUpperCase()} ${path}`, operation as unknown as Operation] as const,
      ),
    ),
  )
}

const dataOperations = () => [...operations].filter(([name]) => name.includes('/cc/')).map(([, operation]) => operation)

/** A property may be called `type`, too. */
const isType = (value: unknown) => typeof value === 'string' || Array.isArray(value)

/** Every object inside a JSON value. */
function* objectsIn(value: unknown): Generator<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null) return
  if (!Array.isArray(value)) yield value as Record<string, unknown>
  for (const item of Object.values(value)) yield* objectsIn(item)
}

describe('/openapi.json', () => {
  it('is a valid OpenAPI 3.1 document', async () => {
    const text = await readFile(new URL('../../test/fixtures/openapi-3.1.schema.json', import.meta.url), 'utf8')
    // Ajv follows dynamic references to a wrong place; without another dialect they mean this one.
    const schema = text.replaceAll('"$dynamicRef": "#meta"', '"$ref": "#/$defs/schema"')
    const ajv = new Ajv2020({ strict: false, formats: { 'media-range': true } })
    addFormats.default(ajv)
    const validate = ajv.compile(JSON.parse(schema) as object)
    expect(validate({ ...document, paths: { devices: {} } })).toBe(false)
    validate(document)
    expect(validate.errors).toBeNull()
    expect(document.openapi).toBe('3.1.0')
  })

  it('has only valid JSON schemas, whose examples and defaults fit them', () => {
    const ajv = new Ajv2020({ strict: false })
    addFormats.default(ajv)
    ajv.addSchema({ ...document, $id: 'document' })
    const schemas = [...objectsIn(document)].filter(item => isType(item.type) || 'anyOf' in item || '$ref' in item)
    expect(schemas.length).toBeGreaterThan(100)
    // Many operations have the same ones.
    const different = new Map(schemas.map(schema => [JSON.stringify(schema), schema]))
    for (const [text, schema] of different) {
      if ('in' in schema || 'scheme' in schema || String(schema.$ref).includes('/headers/')) continue
      const local = JSON.parse(text.replaceAll('"#/', '"document#/')) as object
      const validate = ajv.compile(local)
      const samples = [
        ...((schema.examples as unknown[] | undefined) ?? []),
        ...('default' in schema ? [schema.default] : []),
      ]
      expect(samples.filter(sample => !validate(sample))).toEqual([])
    }
  })

  it('has only references that lead somewhere', () => {
    for (const { $ref } of objectsIn(document)) {
      if (typeof $ref !== 'string') continue
      const steps = $ref.slice(2).split('/')
      expect(steps.reduce<unknown>((value, step) => (value as Record<string, unknown>)[step], document)).toBeTypeOf(
        'object',
      )
    }
  })

  it('describes the paths of the contract and the methods that they have, no others', () => {
    const base = '/cc/v2.0'
    expect([...operations.keys()].toSorted()).toEqual(
      [
        `GET ${base}/devices`,
        `GET ${base}/devices/{deviceId}`,
        `GET ${base}/vehicles`,
        `GET ${base}/vehicles/{vehicleId}`,
        `PUT ${base}/vehicles/{vehicleId}/settings`,
        `POST ${base}/vehicles/{vehicleId}/settings`,
        `GET ${base}/addresses`,
        `GET ${base}/addresses/{position}`,
        `GET ${base}/positions`,
        `GET ${base}/trips`,
        `GET ${base}/trip/{tripId}`,
        `GET ${base}/trips/{tripId}`,
        `GET ${base}/trip/{tripId}/explain`,
        `GET ${base}/trips/{tripId}/explain`,
        `GET ${base}/events`,
        `GET ${base}/dtcs`,
        `GET ${base}/rules`,
        `POST ${base}/rules`,
        `GET ${base}/rules/progress`,
        `POST ${base}/rules/preview`,
        `GET ${base}/rules/{ruleId}`,
        `PUT ${base}/rules/{ruleId}`,
        `DELETE ${base}/rules/{ruleId}`,
        `GET ${base}/rule-kinds`,
        `GET ${base}/incidents`,
        `GET ${base}/incidents/{incidentId}`,
        `GET ${base}/incidents/{incidentId}/explain`,
        `POST ${base}/incidents/{incidentId}/acknowledgement`,
        `DELETE ${base}/incidents/{incidentId}/acknowledgement`,
        `POST ${base}/incidents/acknowledgements`,
        `POST ${base}/incidents/acknowledgements/withdrawal`,
        `GET ${base}/aggregations`,
        `GET ${base}/aggregations/hours`,
        `GET ${base}/areas`,
        `POST ${base}/areas`,
        `GET ${base}/areas/export`,
        `POST ${base}/areas/import`,
        `GET ${base}/areas/{areaId}`,
        `PUT ${base}/areas/{areaId}`,
        `DELETE ${base}/areas/{areaId}`,
        `GET ${base}/areas/{areaId}/versions`,
        `GET ${base}/areas/{areaId}/visits`,
        `POST ${base}/visits`,
        `GET ${base}/eventTypes`,
        `GET ${base}/places`,
        `GET ${base}/units`,
        'POST /ingest/events',
        'POST /ingest/traccar',
        'GET /ingest/osmand',
        'POST /ingest/osmand',
        'POST /auth/token',
        'POST /',
        'GET /stream',
        'POST /auth/revoke',
        'GET /auth/session',
        'POST /auth/password',
        'POST /exports',
        'GET /admin/users',
        'POST /admin/users',
        'PATCH /admin/users/{id}',
        'DELETE /admin/users/{id}',
        'GET /admin/keys',
        'POST /admin/keys',
        'DELETE /admin/keys/{id}',
        'POST /admin/keys/{id}/take-over',
        'GET /admin/operation',
        'GET /admin/security-log',
        'GET /admin/map',
        'PUT /admin/map',
        'POST /admin/devices',
        'POST /admin/devices/{deviceId}/move',
        'DELETE /admin/devices/{deviceId}',
      ].toSorted(),
    )
  })

  it('names every operation once, with a summary and a known tag', () => {
    const all = [...operations.values()]
    expect(new Set(all.map(operation => operation.operationId)).size).toBe(all.length)
    const tags = document.tags.map(tag => tag.name)
    for (const operation of all) {
      expect(operation.summary).not.toBe('')
      expect(tags).toEqual(expect.arrayContaining([...operation.tags]))
      expect(operation.tags).toHaveLength(1)
    }
  })

  it('says which operations need a token, and which permission', () => {
    for (const [name, { security }] of operations)
      expect(security).toEqual(
        / \/(cc|ingest|admin|stream|auth\/session|auth\/password|exports)\b/.test(name) ? [{ bearer: [] }] : [],
      )
    for (const { description, responses } of dataOperations()) {
      expect(description).toMatch(/Needs (the permission `\w+`|any valid token)/)
      expect(Object.keys(responses)).toEqual(expect.arrayContaining(['400', '401', '403', '429']))
      expect(Object.keys(responses).filter(status => /^20[014]$/.test(status))).toHaveLength(1)
    }
  })

  it('describes every parameter and reply, and offers Accept-Language everywhere', () => {
    for (const { parameters = [], responses } of operations.values()) {
      for (const parameter of parameters) expect(parameter).toMatchObject({ description: expect.stringMatching(/\.$/) })
      for (const response of Object.values(responses)) expect(response.description).not.toBe('Default Response')
    }
    for (const { parameters = [] } of dataOperations())
      expect(parameters.map(parameter => parameter.name)).toContain('accept-language')
  })

  it('is public and can be asked for again cheaply', async () => {
    const { server, close } = await serverWith([])
    const first = await server.inject('/openapi.json')
    expect(first.headers['content-type']).toBe('application/json; charset=utf-8')
    const headers = { 'if-none-match': String(first.headers.etag) }
    expect((await server.inject({ url: '/openapi.json', headers })).statusCode).toBe(304)
    expect((await server.inject({ url: '/openapi.json', method: 'POST' })).statusCode).toBe(405)
    await close()
  })

  it('takes in the routes that other processes answer', async () => {
    const { server, close } = await serverWith([
      {
        method: 'POST',
        url: '/ingest/things/:id',
        access: 'ingest',
        schema: {
          tags: ['Ingest'],
          summary: 'Send things',
          params: Type.Object({ id: Type.String() }),
          body: Type.Object({ things: Type.Array(Type.Integer()) }, { title: 'Things' }),
          response: { 200: Type.Object({ accepted: Type.Integer() }) },
        },
      },
    ])
    const described = (await server.inject('/openapi.json')).json<OpenApiDocument>()
    expect(operationsOf(described).get('POST /ingest/things/{id}')).toMatchObject({
      operationId: 'postIngestThingsId',
      security: [{ bearer: [] }],
      description: expect.stringContaining('Needs the permission `ingest`'),
      requestBody: { content: { 'application/json': { schema: { $ref: '#/components/schemas/Things' } } } },
      responses: { 200: { description: 'OK.' } },
    })
    expect(described.components.schemas.Things).toMatchObject({ type: 'object' })
    const elsewhere = [...operations.keys()].filter(name => name.includes(' /ingest/'))
    expect(operationsOf(described).size).toBe(operations.size - elsewhere.length + 1)
    await close()
  })
})

async function serverWith(documentedElsewhere: readonly DocumentedRoute[]) {
  const database = openDatabase({ url: 'postgresql://localhost:1/none' })
  const callers = createCallerLookup(database)
  const context = {
    config: readConfig({}),
    database,
    callers,
    machine: new MachineWatch({ connection: database.checks, databaseUrl: undefined }),
    clock: SYSTEM_CLOCK,
    intakeUrl: () => undefined,
    documentedElsewhere,
  }
  const server = await createApiServer(context, createMetrics('api', database), pino({ level: 'silent' }))
  const close = async () => {
    await server.close()
    await database.close()
  }
  return { server, close }
}
