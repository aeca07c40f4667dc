import swagger, { type FastifyDynamicSwaggerOptions, type JSONObject } from '@fastify/swagger'
import fastify, { type FastifyInstance, type FastifySchema, type HTTPMethods } from 'fastify'
import { PERMISSIONS } from '../catalogue/permissions.ts'
import type { Access } from '../server/http/access.ts'
import { TOTAL_HEADER } from './lists.ts'
import { API_DESCRIPTION, HEADERS, RESPONSES, TAGS } from './openapi-texts.ts'
import { CHECKED_BY_ROUTE } from './schemas.ts'

/** A route that another process serves under the same address, documented with the others. */
export interface DocumentedRoute {
  readonly method: HTTPMethods
  readonly url: string
  readonly access: Access
  readonly schema: FastifySchema
}

interface Parameter {
  readonly name: string
  readonly required?: boolean
  readonly schema?: JSONObject
  readonly example?: unknown
  readonly examples?: Readonly<Record<string, { readonly value: unknown }>>
}

interface Operation {
  operationId?: string
  description?: string
  security?: readonly JSONObject[]
  parameters?: readonly Parameter[]
  responses: Record<string, { description: string; headers?: JSONObject; content?: JSONObject }>
}

type Paths = Record<string, Record<string, Operation>>

interface RouteFacts {
  readonly access: Access
  readonly hasEtag: boolean
}

/**
 * Collects the schemas of all routes registered from now on in one OpenAPI 3.1 document, which
 * `/openapi.json` returns. Routes without a tag are left out.
 */
export async function describeRoutes(server: FastifyInstance, elsewhere: readonly DocumentedRoute[]): Promise<void> {
  const paths = await pathsOf(elsewhere)
  await server.register(swagger, optionsFor({ paths, namesSchemas: true }))
}

/** GET /openapi.json; register it where the routes are guarded. */
export function openApiRoute(server: FastifyInstance): void {
  let text: string | undefined
  server.get('/openapi.json', { config: { access: 'public', etag: true } }, (_request, reply) => {
    text ??= JSON.stringify(server.swagger())
    return reply.type('application/json; charset=utf-8').send(text)
  })
}

/** Documents routes that another server has, by the same code. */
async function pathsOf(routes: readonly DocumentedRoute[]): Promise<Paths> {
  if (routes.length === 0) return {}
  const other = fastify()
  other.setValidatorCompiler(() => () => true)
  other.setSerializerCompiler(() => JSON.stringify)
  await other.register(swagger, optionsFor({ paths: {}, namesSchemas: false }))
  for (const { method, url, schema, access } of routes)
    other.route({ method, url, schema, config: { access }, handler: () => undefined })
  await other.ready()
  return other.swagger().paths as unknown as Paths
}

interface DocumentOptions {
  /** Operations documented so far. */
  readonly paths: Paths
  /** Whether schemas with a title become components; once, when everything is together. */
  readonly namesSchemas: boolean
}

function optionsFor({ paths, namesSchemas }: DocumentOptions): FastifyDynamicSwaggerOptions {
  const factsByOperation = new Map<string, RouteFacts>()
  return {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Tacho: Connected Car Fleet API',
        version: '2.0',
        summary: 'Devices, vehicles, trips, measurements and trouble codes of a fleet.',
        description: API_DESCRIPTION,
        license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
      },
      servers: [{ url: '/', description: 'This server.' }],
      tags: [...TAGS],
      components: {
        securitySchemes: {
          bearer: {
            type: 'http',
            scheme: 'bearer',
            description: 'An API key that the operator issued, or an access token of the token endpoint.',
          },
        },
        headers: HEADERS,
      },
      paths: paths as Record<string, object>,
    },
    hideUntagged: true,
    convertConstToEnum: true,
    transform: ({ schema, url, route }) => {
      const { access = 'public', etag = false } = route.config ?? {}
      for (const method of [route.method].flat())
        factsByOperation.set(operationName(method, templateOf(url)), { access, hasEtag: etag })
      return { schema, url }
    },
    transformObject: document => {
      if (!('openapiObject' in document)) return document.swaggerObject
      const { openapiObject } = document
      const described = openapiObject.paths as unknown as Paths
      for (const [path, operations] of Object.entries(described)) {
        for (const [method, operation] of Object.entries(operations)) {
          const name = operationName(method, path)
          const facts = factsByOperation.get(name)
          if (facts) operations[method] = completed(operation, name, facts)
        }
      }
      if (!namesSchemas) return openapiObject
      const schemas = { ...openapiObject.components?.schemas }
      const named = withNamedSchemas(described, schemas)
      return {
        ...openapiObject,
        paths: named,
        components: { ...openapiObject.components, schemas },
      }
    },
  }
}

function operationName(method: string, path: string): string {
  return `${method.toLowerCase()} ${path}`
}

function templateOf(url: string): string {
  return url.replace(/:(\w+)/g, '{$1}')
}

/** Adds to an operation what follows from the conventions that all routes share. */
function completed(operation: Operation, name: string, { access, hasEtag }: RouteFacts): Operation {
  const isPublic = access === 'public'
  const responses = { ...operation.responses }
  // For ingest, 429 means the quota of the account, which has no such headers.
  const hasLimit = !isPublic && access !== 'ingest' && '429' in responses
  if (hasEtag) responses['304'] = { description: '' }
  for (const [status, response] of Object.entries(responses)) {
    // When the database is away, already the token lookup may fail.
    const isCounted = hasLimit && status !== '401' && status !== '503'
    const headers = isCounted ? ['X-Rate-Limit', 'X-Rate-Limit-Remaining', 'X-Response-Time'] : []
    if (status === '429' || status === '503') headers.push('Retry-After')
    if (status === '401' && !isPublic) headers.push('WWW-Authenticate')
    if (hasEtag && (status === '200' || status === '304')) headers.push('ETag')
    if (status === '200' && operation.parameters?.some(parameter => parameter.name === 'cursor')) headers.push('Link')
    if (status === '200' && operation.parameters?.some(parameter => parameter.name === 'count'))
      headers.push(TOTAL_HEADER)
    if (operation.parameters?.some(parameter => parameter.name === 'accept-language'))
      headers.push('Content-Language', 'Vary')
    responses[status] = {
      ...response,
      description: RESPONSES[status] ?? response.description,
      ...(headers.length > 0
        ? { headers: Object.fromEntries(headers.map(header => [header, { $ref: `#/components/headers/${header}` }])) }
        : {}),
    }
  }
  return {
    operationId: operationIdOf(name),
    ...operation,
    ...descriptionOf(operation, access),
    ...(operation.parameters ? { parameters: operation.parameters.map(withQuietExamples) } : {}),
    security: isPublic ? [] : [{ bearer: [] }],
    responses,
  }
}

/** The page would fill in an example of the parameter itself; optional parameters are better left empty. */
function withQuietExamples({ example, examples, ...parameter }: Parameter): Parameter {
  const values = examples ? Object.values(examples).map(({ value }) => value) : [example]
  if (parameter.required || values[0] === undefined) return { ...parameter, example: values[0] }
  return { ...parameter, schema: { ...parameter.schema, examples: values as string[] } }
}

function descriptionOf({ description }: Operation, access: Access): { readonly description?: string } {
  const texts = [description, needsText(access)].filter(text => text !== undefined)
  return texts.length > 0 ? { description: texts.join('\n\n') } : {}
}

function needsText(access: Access): string | undefined {
  switch (access) {
    case 'public':
      return undefined
    case 'any':
      return 'Needs any valid token.'
    case 'user':
      return 'Needs the access token of a user.'
    default:
      return `Needs the permission \`${access}\`: ${PERMISSIONS[access]}.`
  }
}

/** `get /cc/v2.0/devices/{deviceId}` to `getDevicesDeviceId`. */
function operationIdOf(name: string): string {
  return name.replace('/cc/v2.0/', '/').replace(/[^a-zA-Z0-9]+(\w?)/g, (_match, letter: string) => letter.toUpperCase())
}

/** Valid component names for schema titles: generated clients use them as type names. */
const TYPE_NAME = /^[A-Z][A-Za-z]+$/

type Json = unknown
type JsonObject = Record<string, Json>

/**
 * Moves every schema with a title out of the paths into `components.schemas` and leaves a reference, so that the
 * document states each schema once and generated clients get named types.
 * @returns the paths with references.
 * @throws when two different schemas have one title.
 */
function withNamedSchemas(paths: Paths, schemas: JsonObject): Paths {
  return moved(paths, schemas) as Paths
}

function moved(value: Json, schemas: JsonObject): Json {
  if (Array.isArray(value)) return value.map(item => moved(item, schemas))
  if (typeof value !== 'object' || value === null) return value
  const { [CHECKED_BY_ROUTE]: further, ...keywords } = value as JsonObject
  const all = { ...keywords, ...(further as JsonObject | undefined) }
  const copy: JsonObject = Object.fromEntries(Object.entries(all).map(([key, item]) => [key, moved(item, schemas)]))
  const { title } = copy
  if (typeof title !== 'string' || !TYPE_NAME.test(title)) return copy
  const known = schemas[title]
  if (known !== undefined && JSON.stringify(known) !== JSON.stringify(copy))
    throw new Error(`two schemas have the title ${title}`)
  schemas[title] = copy
  return { $ref: `#/components/schemas/${title}` }
}
