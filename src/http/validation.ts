import type { FastifySchemaCompiler } from 'fastify'
import type { TObject, TSchema } from 'typebox'
import { Compile } from 'typebox/compile'
import { badRequest, notFound } from '../errors.ts'
import { readParameters } from './parameters.ts'

/**
 * Makes the schema on the route its validation: parameters of path and query through their readers, bodies as
 * JSON Schema says, without coercion.
 */
export const validatorCompiler: FastifySchemaCompiler<TSchema> = ({ schema, httpPart }) => {
  if (httpPart === 'querystring' || httpPart === 'params') {
    const { properties } = schema as TObject
    return (given: Record<string, string | string[] | undefined>) => {
      try {
        const value = readParameters(properties, given)
        // A path with an empty id leads to no object.
        if (httpPart === 'params' && Object.keys(value).length < Object.keys(properties).length)
          throw notFound('An object without an id')
        return { value }
      } catch (error) {
        return { error: error instanceof Error ? error : new Error(String(error)) }
      }
    }
  }
  const check = Compile(schema)
  return (given: unknown) => {
    if (check.Check(given)) return { value: given }
    const [first] = check.Errors(given)
    const field = first?.instancePath.slice(1).replaceAll('/', '.')
    return { error: badRequest(`${field || 'The body'} ${first?.message ?? 'is not as documented'}.`) }
  }
}
