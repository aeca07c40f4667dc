import type { FastifyReply, FastifyRequest } from 'fastify'
import { badRequest } from '../model/errors.ts'
import { parseTimestamp } from '../server/http/timestamps.ts'

/** The position after the last item of a page: the values that its list is ordered by. */
export type CursorPlace = readonly (string | number)[]

/** The kinds of these values; a `number` is an integer, an `instant` a text with microseconds. */
export type CursorKind = 'string' | 'number' | 'instant'

/**
 * Reads the position at which a list continues. A cursor comes from a client, so its values are checked before they
 * reach the database, whose errors would count as ours.
 * @throws ClientError 400 when the cursor was not made by this list.
 */
export function readCursor(cursor: string | undefined, kinds: readonly CursorKind[]): CursorPlace | undefined {
  if (cursor === undefined) return undefined
  try {
    const place: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'))
    if (
      Array.isArray(place) &&
      place.length === kinds.length &&
      place.every((value, index) => isOfKind(value, kinds[index])) &&
      // Any other spelling was not made by us, even if it means the same.
      cursorText(place) === cursor
    )
      return place
  } catch {
    // Falls through to the one error for every invalid cursor.
  }
  throw foreignCursor()
}

export const foreignCursor = () =>
  badRequest('cursor must be taken from the Link header of the page before, with the same other parameters.')

function isOfKind(value: unknown, kind: CursorKind | undefined): boolean {
  if (kind === 'number') return Number.isSafeInteger(value)
  if (typeof value !== 'string') return false
  return kind === 'instant' ? parseTimestamp(value) === value : !value.includes('\0')
}

/** How many objects match on all pages, asked for with `count=true`. */
export const TOTAL_HEADER = 'X-Total-Count'

/** A position as clients send it back. */
export function cursorText(place: CursorPlace): string {
  return Buffer.from(JSON.stringify(place)).toString('base64url')
}

/** Links to the next page of a list (RFC 8288), relative to the request so that it works behind any proxy. */
export function linkNext(request: FastifyRequest, reply: FastifyReply, place: CursorPlace): void {
  const [path = '', query = ''] = request.url.split('?')
  const parameters = new URLSearchParams(query)
  parameters.set('cursor', cursorText(place))
  reply.header('link', `<${path}?${parameters.toString()}>; rel="next"`)
}
