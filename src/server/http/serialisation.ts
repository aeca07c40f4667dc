import SerializerSelector, { type Serializer } from '@fastify/fast-json-stringify-compiler'
import type { FastifySerializerCompiler } from 'fastify'

const compile = SerializerSelector()({}, {})

/** By schema: several servers of one process have the same routes. */
const compiled = new WeakMap<object, Serializer>()

/**
 * Compiles what writes a reply by its schema when the first such reply is written. Most schemas of replies only document what is
 * written as text already: compiling all of them at the start took a third of it.
 */
export const serializerCompiler: FastifySerializerCompiler<object> = route => {
  const { schema, httpStatus = '' } = route
  return reply => {
    const serialise = compiled.get(schema) ?? compile({ ...route, httpStatus })
    compiled.set(schema, serialise)
    return serialise(reply)
  }
}
