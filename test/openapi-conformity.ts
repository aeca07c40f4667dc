import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import type { LightMyRequestResponse } from 'fastify'
import { readConfig } from '../src/config.ts'
import { openDatabase } from '../src/db/database.ts'
import { apiServerOn, BASE } from './api.ts'

interface DocumentedResponse {
  readonly content?: Readonly<Record<string, { readonly schema?: object }>>
  readonly headers?: Readonly<Record<string, { readonly $ref: string }>>
}

interface DocumentedOperation {
  readonly responses: Readonly<Record<string, DocumentedResponse>>
}

export interface OpenApiDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, DocumentedOperation>>>>
  readonly components: {
    readonly headers: Readonly<Record<string, { readonly required?: boolean }>>
    readonly schemas: Readonly<Record<string, object>>
  }
}

/** What is looked at of a response; one of `fetch` can be put into this form too. */
type AnsweredResponse = Pick<LightMyRequestResponse, 'statusCode' | 'headers' | 'body'>

let document: Promise<OpenApiDocument> | undefined

/** The service's own document. It does not depend on any data, so no database is asked. */
export function openApiDocument(): Promise<OpenApiDocument> {
  document ??= readDocument()
  return document
}

async function readDocument(): Promise<OpenApiDocument> {
  const database = openDatabase({ url: 'postgresql://localhost:1/none' })
  const server = await apiServerOn(database, readConfig({}))
  const response = await server.inject('/openapi.json')
  await server.close()
  await database.close()
  return response.json<OpenApiDocument>()
}

/** Each compiles the schema of schemas once; that takes longer than all of ours. */
const ofReplies = new Ajv2020({ strict: false, allErrors: true })
const ofRequests = new Ajv2020({ strict: false })
for (const ajv of [ofReplies, ofRequests]) addFormats.default(ajv)

const validators = new Map<string, ValidateFunction>()

/**
 * Expects that a response is one that the service's OpenAPI document describes: its status, its headers, its
 * content type, and a body with the documented fields and no others.
 * @param path as in the request or as in the document; relative to the base address or complete.
 */
export async function expectDocumented(response: AnsweredResponse, method: string, path: string): Promise<void> {
  const described = await openApiDocument()
  const { template, operation } = operationOf(described, method.toLowerCase(), path)
  const place = `${method} ${template} ${response.statusCode}`
  const documented = operation.responses[String(response.statusCode)]
  if (!documented) throw new Error(`${place} is not documented: ${response.body}`)
  for (const [name, { $ref }] of Object.entries(documented.headers ?? {})) {
    const header = described.components.headers[$ref.replace('#/components/headers/', '')]
    if (header?.required && response.headers[name.toLowerCase()] === undefined)
      throw new Error(`${place} has no header ${name}`)
  }
  if (!documented.content) {
    if (response.body !== '') throw new Error(`${place} has a body: ${response.body}`)
    return
  }
  const [contentType = ''] = String(response.headers['content-type']).split(';')
  const schema = documented.content[contentType]?.schema
  if (!schema) throw new Error(`${place} is not documented as ${contentType}`)
  const validate = validators.get(`${place} ${contentType}`) ?? validatorOf(described, schema)
  validators.set(`${place} ${contentType}`, validate)
  const body: unknown = contentType.endsWith('json') ? JSON.parse(response.body) : response.body
  if (!validate(body))
    throw new Error(`${place} is not as documented: ${JSON.stringify(validate.errors?.slice(0, 3))}\n${response.body}`)
}

function operationOf(described: OpenApiDocument, method: string, path: string) {
  const [withoutQuery = ''] = path.split('?')
  const candidates = [withoutQuery, BASE + withoutQuery]
  const entries = Object.entries(described.paths)
  const entry =
    entries.find(([template]) => candidates.includes(template)) ??
    entries.find(([template]) => candidates.some(candidate => patternOf(template).test(candidate)))
  const operation = entry?.[1][method]
  if (!entry || !operation) throw new Error(`${method} ${path} is not documented`)
  return { template: entry[0], operation }
}

function patternOf(template: string): RegExp {
  return new RegExp(`^${template.replaceAll('.', '\\.').replace(/\{\w+\}/g, '[^/]+')}$`)
}

function validatorOf(described: OpenApiDocument, schema: object): ValidateFunction {
  addComponents(described)
  return ofReplies.compile(closed(schema))
}

/** Each component is a schema of its own: it is compiled once, however many replies refer to it. */
function addComponents({ components }: OpenApiDocument): void {
  for (const [name, schema] of Object.entries(components.schemas))
    if (!ofReplies.schemas[ownName(name)]) ofReplies.addSchema(closed(schema), ownName(name))
}

const ownName = (component: string) => `component:${component}`

/**
 * The same schema, but refusing fields that it does not name: a reply must not have undocumented ones. It refers to components
 * by their own names.
 */
function closed(value: object): object {
  const inside = (item: unknown) => (isObject(item) ? closed(item) : item)
  if (Array.isArray(value)) return value.map(inside)
  const copy = Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key, key === '$ref' ? ownName(componentOf(item)) : inside(item)]),
  )
  return 'properties' in copy && copy.type === 'object' ? { additionalProperties: false, ...copy } : copy
}

const COMPONENTS = '#/components/schemas/'

function componentOf(reference: unknown): string {
  if (typeof reference !== 'string' || !reference.startsWith(COMPONENTS))
    throw new Error(`${String(reference)} is no component`)
  return reference.slice(COMPONENTS.length)
}

/** A checker of whatever the document says of something that is sent, for all that refers to its components. */
export function checkerOf(described: OpenApiDocument, schema: object): ValidateFunction {
  return ofRequests.compile({ ...schema, components: described.components })
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}
