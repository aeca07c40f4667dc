import { Readable } from 'node:stream'
import type { FastifyReply } from 'fastify'

const CHUNK_CHARACTERS = 64 * 1024

/**
 * Sends a JSON list of texts that are already JSON, in chunks: however long it is, only a chunk of it is rendered
 * at a time, at the pace of the client.
 * @param prefix what stands before the first item, `[` included
 * @param suffix what stands after the last one, `]` included
 */
export function sendJsonList(
  reply: FastifyReply,
  prefix: string,
  items: Iterable<string>,
  suffix: string,
): FastifyReply {
  return reply
    .type('application/json; charset=utf-8')
    .send(Readable.from(chunks(prefix, items, suffix), { objectMode: false }))
}

function* chunks(prefix: string, items: Iterable<string>, suffix: string): Generator<Buffer> {
  let chunk = prefix
  let separator = ''
  for (const item of items) {
    chunk += separator + item
    separator = ','
    if (chunk.length >= CHUNK_CHARACTERS) {
      yield Buffer.from(chunk)
      chunk = ''
    }
  }
  yield Buffer.from(chunk + suffix)
}

/** Sends a text that is already JSON; the schema of the route only documents it. */
export function sendJsonText(reply: FastifyReply, json: string): FastifyReply {
  return reply.type('application/json; charset=utf-8').serializer(String).send(json)
}
