// `npm run console-types`: writes console/src/api/schema.ts, the console's types, from the OpenAPI document.
import { writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { compile, type JSONSchema } from 'json-schema-to-typescript'
import { openApiDocument } from '../test/openapi-conformity.ts'

export const CONSOLE_TYPES_FILE = fileURLToPath(new URL('../console/src/api/schema.ts', import.meta.url))

const HEAD = '// Written by `npm run console-types` from the OpenAPI document of the service.'

interface Content {
  readonly content?: Readonly<Record<string, { readonly schema?: JSONSchema }>>
}

interface Operation {
  readonly parameters?: readonly { readonly name: string; readonly in: string; readonly schema: JSONSchema }[]
  readonly requestBody?: Content
  readonly responses: Readonly<Record<string, Content>>
}

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: { readonly schemas: Readonly<Record<string, JSONSchema>> }
}

/**
 * The types of all that the service answers, as the text of a TypeScript file: an interface for each named schema, and
 * `Operations` with the query, body and reply of each route by method and path. The document in, so nothing in the
 * console can differ from it without failing to compile.
 */
export async function consoleTypes(): Promise<string> {
  const { paths, components } = (await openApiDocument()) as unknown as Document
  const operations = Object.entries(paths)
    .filter(([path]) => !path.startsWith('/ingest'))
    .flatMap(([path, methods]) =>
      Object.entries(methods).map(
        ([method, operation]) => [`${method.toUpperCase()} ${path}`, typeOfOperation(operation)] as const,
      ),
    )
  const schema = objectOf(operations.map(([name, type]) => [name, type, true]))
  return compile({ ...schema, components }, 'Operations', {
    additionalProperties: false,
    bannerComment: HEAD,
    declareExternallyReferenced: true,
    // Else lists that must not be empty become tuples, which nothing can be assigned to.
    ignoreMinAndMaxItems: true,
    style: { semi: false, singleQuote: true, printWidth: 120, trailingComma: 'all', arrowParens: 'avoid' },
  })
}

type Property = readonly [name: string, type: JSONSchema, isRequired: boolean]

function typeOfOperation({ parameters = [], requestBody, responses }: Operation): JSONSchema {
  const query = parameters.filter(parameter => parameter.in === 'query')
  const body = jsonOf(requestBody)
  const reply = Object.entries(responses).find(([status]) => status.startsWith('2'))?.[1]
  const properties: Property[] = []
  if (query.length > 0)
    properties.push(['query', objectOf(query.map(({ name, schema }) => [name, schema, false])), true])
  if (body) properties.push(['body', body, true])
  properties.push(['reply', jsonOf(reply) ?? { tsType: 'undefined' }, true])
  return objectOf(properties)
}

function objectOf(properties: readonly Property[]): JSONSchema {
  return {
    type: 'object',
    additionalProperties: false,
    required: properties.filter(([, , isRequired]) => isRequired).map(([name]) => name),
    properties: Object.fromEntries(properties.map(([name, type]) => [name, type])),
  }
}

function jsonOf(content: Content | undefined): JSONSchema | undefined {
  return content?.content?.['application/json']?.schema
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await writeFile(CONSOLE_TYPES_FILE, await consoleTypes())
