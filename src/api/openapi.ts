import swagger, { type FastifyDynamicSwaggerOptions, type JSONObject } from '@fastify/swagger'
import fastify, { type FastifyInstance, type FastifySchema, type HTTPMethods } from 'fastify'
import { PERMISSIONS } from '../catalogue/permissions.ts'
import type { Access } from '../server/http/access.ts'
import { TOTAL_HEADER } from './lists.ts'
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

/** All routes registered from now on; those without a tag are left out. */
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
  readonly paths: Paths
  /** Schemas with a title become components; once, when everything is together. */
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

/** Moves schemas with a title into `components.schemas`, so that generated clients get named types.
 * @throws when two different schemas have one title */
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

/** Conventions of all routes, stated once (fleet-api-v2.md, *General conventions*). */
const API_DESCRIPTION = `
Fleet status (devices, vehicles, trips, measurement events, diagnostic trouble codes, statistics) over the Connected Car
Fleet REST API, version 2, below \`/cc/v2.0\`; measurements are sent to \`/ingest/events\`.

- **Tokens**: \`Authorization: Bearer …\` with an API key that the operator issued, or with an access token of
  \`POST /auth/token\`.
- **Timestamps** are ISO 8601. Accepted are \`Z\`, any offset, no zone (UTC), a date alone, no seconds, any number of
  fraction digits. Replies are in UTC with \`Z\`: six fraction digits for \`modifyTimestamp\`, three for all others.
- **Parameters**: an empty one counts as absent, an unknown one is ignored; lists are separated by commas; both ends of
  a range are inclusive; several filters must all hold; an id that does not exist matches nothing.
- **Language**: \`Accept-Language\` selects the language of translated text; English and German exist.
- **Long lists** are cut at \`maxResults\` (500, at most 10,000). A \`Link\` header with \`rel="next"\` leads to the rest.
  With \`count=true\`, lists of trips, trouble codes and incidents say in \`X-Total-Count\` how many match.
- **Sync**: lists of devices, vehicles, trips and trouble codes carry a top-level \`modifyTimestamp\`. Sent as
  \`filterTimestamp\` with the next request, it brings everything that changed since, deleted objects included. An object
  may come twice; none is missed.
- **Errors** are objects with one field, \`errorMessage\`, in plain words that name the parameter.
- **Limits**: requests are counted per key or user. Replies to a valid token say how many are left.
`.trim()

const TAGS = [
  { name: 'Authentication', description: 'Tokens for users.' },
  { name: 'Devices', description: 'The dongles that are plugged into vehicles.' },
  { name: 'Vehicles', description: 'The cars, with the latest value of everything measured.' },
  { name: 'Trips', description: 'Intervals in which a car was driving.' },
  { name: 'Events', description: 'Measurements over time.' },
  { name: 'Trouble codes', description: 'What the control units of the cars report.' },
  { name: 'Rules', description: 'What the fleet is watched for. Beyond the published document.' },
  { name: 'Incidents', description: 'What rules found. Beyond the published document.' },
  { name: 'Aggregations', description: 'Statistics of trips.' },
  { name: 'Areas', description: 'Parts of the map that the account has drawn. Beyond the published document.' },
  { name: 'Catalogue', description: 'What can be measured, and in which units.' },
  { name: 'Stream', description: 'What changes, as it happens.' },
  { name: 'Ingest', description: 'Sending measurements.' },
  {
    name: 'Administration',
    description:
      'Users, keys and dongles of the own account, for those with the permission `administration`. Beyond the published ' +
      'document.',
  },
] as const

const integer = { type: 'integer' } as const
const text = { type: 'string' } as const

const HEADERS = {
  'X-Rate-Limit': { description: 'Requests allowed in the current period.', schema: integer, required: true },
  'X-Rate-Limit-Remaining': { description: 'Requests left in the period.', schema: integer, required: true },
  'X-Response-Time': { description: 'Milliseconds the server needed.', schema: integer, required: true },
  'Retry-After': { description: 'Seconds after which a repeat can succeed.', schema: integer },
  'WWW-Authenticate': { description: 'Bearer', schema: text, required: true },
  ETag: { description: 'Names this state of the object, for If-None-Match.', schema: text, required: true },
  Link: { description: 'Where the rest of a cut list is: `<…>; rel="next"` (RFC 8288).', schema: text },
  'X-Total-Count': { description: 'How many match, with `count=true`.', schema: integer },
  'Content-Language': { description: 'Language of translated text.', schema: text, required: true },
  Vary: { description: 'Accept-Language', schema: text, required: true },
}

/** Descriptions of status codes, where the schema of the body has none. */
const RESPONSES: Readonly<Record<string, string>> = {
  200: 'OK.',
  201: 'Created.',
  204: 'Done.',
  304: 'Not modified since the reply with that ETag.',
  400: 'The request cannot be processed; the message names the parameter.',
  401: 'No valid token was given.',
  403: 'The key or user has no permission to use this type of data.',
  404: 'There is no such object, or it belongs to another account.',
  413: 'The body is too large.',
  415: 'The content type is not supported.',
  429: 'Too many requests in the period.',
  503: 'Not possible at the moment; a repeat will succeed.',
}
