import SerializerSelector, { type Serializer } from '@fastify/fast-json-stringify-compiler'
import type { FastifySerializerCompiler } from 'fastify'

const compile = SerializerSelector()({}, {})

/**
 * Compiles what writes a reply by its schema when the first such reply is written. Most schemas of replies only document what is
 * written as text already: compiling all of them at the start took a third of it.
 */
export const serializerCompiler: FastifySerializerCompiler<unknown> = route => {
  let serialise: Serializer | undefined
  return reply => {
    serialise ??= compile({ ...route, httpStatus: route.httpStatus ?? '' })
    return serialise(reply)
  }
}
