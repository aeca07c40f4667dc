import { requireBounded } from '../../../server/http/json-bounds.ts'
import type { ApiServer } from '../../context.ts'

/** Deeper than any GeoJSON, and more values than fit into the bodies of these routes unless they are made to be many. */
const BOUNDS = { depth: 16, values: 2_000_000 }

/** Reads the long JSON bodies of a scope: bounded before they are parsed. */
export function boundJsonBodies(scope: ApiServer): void {
  const parse = scope.getDefaultJsonParser('error', 'error')
  scope.removeContentTypeParser('application/json')
  scope.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, body: Buffer, done) => {
    try {
      requireBounded(body, BOUNDS)
    } catch (error) {
      done(error instanceof Error ? error : new Error(String(error)))
      return
    }
    void parse(request, body.toString('utf8'), done)
  })
}
