import type { FastifyReply, FastifyRequest } from 'fastify'
import { badRequest } from '../errors.ts'

/** The place after the last item of a page: the values its list is ordered by. */
export type CursorPlace = readonly (string | number)[]

/**
 * Reads the place where a list goes on.
 * @throws ClientError 400 when the cursor was not made by this list.
 */
export function readCursor(
  cursor: string | undefined,
  kinds: readonly ('string' | 'number')[],
): CursorPlace | undefined {
  if (cursor === undefined) return undefined
  try {
    const place: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'))
    if (
      Array.isArray(place) &&
      place.length === kinds.length &&
      place.every((value, index) => typeof value === kinds[index])
    )
      return place
  } catch {
    // Falls through to the one answer for every cursor that is not ours.
  }
  throw badRequest('cursor must be taken from the Link header of the page before, unchanged.')
}

/** Points to the rest of a cut list (RFC 8288), relative to the request so that it is right behind any proxy. */
export function linkNext(request: FastifyRequest, reply: FastifyReply, place: CursorPlace): void {
  const [path = '', query = ''] = request.url.split('?')
  const parameters = new URLSearchParams(query)
  parameters.set('cursor', Buffer.from(JSON.stringify(place)).toString('base64url'))
  reply.header('link', `<${path}?${parameters.toString()}>; rel="next"`)
}
