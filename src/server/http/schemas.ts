import SerializerSelector, { type Serializer } from '@fastify/fast-json-stringify-compiler'
import type { FastifySchema, FastifySchemaCompiler, FastifySerializerCompiler } from 'fastify'
import { type TObject, type TSchema, Type } from 'typebox'
import { Compile, type Validator } from 'typebox/compile'
import type { TLocalizedValidationError } from 'typebox/error'
import { badRequest, notFound } from '../../model/errors.ts'
import { readParameters } from './parameters.ts'

/** Parameters with a parser each, bodies by JSON Schema, without coercion. */
export const validatorCompiler: FastifySchemaCompiler<TSchema> = ({ schema, httpPart }) => {
  if (httpPart === 'querystring' || httpPart === 'params') {
    const { properties } = schema as TObject
    return (given: Record<string, string | string[] | undefined>) => {
      try {
        const value = readParameters(properties, given)
        // A path with an empty id identifies no object.
        if (httpPart === 'params' && Object.keys(value).length < Object.keys(properties).length)
          throw notFound('An object without an id')
        return { value }
      } catch (error) {
        return { error: error instanceof Error ? error : new Error(String(error)) }
      }
    }
  }
  const check = checkOf(schema)
  return (given: unknown) => {
    if (check.Check(given)) return { value: given }
    const [first] = check.Errors(given)
    return { error: badRequest(first ? sentenceOf(first) : 'The body is not as documented.') }
  }
}

/** By schema: several servers of one process have the same routes. */
const checks = new WeakMap<TSchema, Validator>()

function checkOf(schema: TSchema): Validator {
  const check = checks.get(schema) ?? Compile(schema)
  checks.set(schema, check)
  return check
}

/** Names the field that is wrong, even where the validator names the object around it. */
function sentenceOf({ keyword, instancePath, params, message }: TLocalizedValidationError): string {
  const field = instancePath.split('/').slice(1).map(pointerStep).map(legibleName).join('.')
  switch (keyword) {
    case 'required':
      return `${[field, params.requiredProperties[0]].filter(Boolean).join('.')} is missing.`
    // A field that is not in the schema.
    case 'boolean':
      return `${field} is not a field of this request.`
    case 'enum':
      return `${field} must be one of ${params.allowedValues.join(', ')}.`
    default:
      return `${instancePath === '' ? 'The body' : field} ${message}.`
  }
}

function pointerStep(step: string): string {
  return step.replaceAll('~1', '/').replaceAll('~0', '~')
}

/** An unknown name from a client, shortened for an error message. */
export function legibleName(name: string): string {
  return /^\w{1,100}$/.test(name) ? name : JSON.stringify(name.slice(0, 100))
}

const compileSerializer = SerializerSelector()({}, {})

/** By schema: several servers of one process have the same routes. */
const writers = new WeakMap<object, Serializer>()

/** Compiles a serializer with the first such reply: compiling all of them took a third of the start. */
export const serializerCompiler: FastifySerializerCompiler<object> = route => {
  const { schema, httpStatus = '' } = route
  return reply => {
    const serialise = writers.get(schema) ?? compileSerializer({ ...route, httpStatus })
    writers.set(schema, serialise)
    return serialise(reply)
  }
}

/** The schema of a route that the OpenAPI document omits. */
export const hidden: FastifySchema & { readonly hide: true } = { hide: true }

/** Every error of the service (fleet-api-v2.md, *Errors*). */
export const ErrorBody = Type.Object(
  {
    errorMessage: Type.String({
      examples: ['fromTimestamp must be an ISO 8601 timestamp such as 2020-02-22T14:37:07.797Z.'],
    }),
  },
  { title: 'Error', description: 'What was wrong, in plain words.' },
)

const IngestReceipt = Type.Object(
  {
    accepted: Type.Integer({ description: 'Events that are now stored and were not before.' }),
    duplicates: Type.Integer({ description: 'Events that were known already and changed nothing.' }),
  },
  { title: 'IngestReceipt' },
)

/** A field that may contain anything: values that do not fit the description are not stored, and nothing is refused. */
export const leftOutUnless = (description: string) => Type.Optional(Type.Unknown({ description }))

export const ingestReplies = {
  200: IngestReceipt,
  400: ErrorBody,
  401: ErrorBody,
  403: ErrorBody,
  413: ErrorBody,
  429: ErrorBody,
  503: ErrorBody,
} as const
