import { describe, expect, it } from 'vitest'
import { type CursorKind, readCursor } from './lists.ts'

const KINDS: readonly CursorKind[] = ['string', 'instant', 'number']
const encoded = (place: unknown) => Buffer.from(JSON.stringify(place)).toString('base64url')

describe('cursors', () => {
  it('are read back as they were written', () => {
    const place = ['trips first', '2020-01-01T00:00:00.000001Z', 4711]
    expect(readCursor(encoded(place), KINDS)).toEqual(place)
    expect(readCursor(undefined, KINDS)).toBeUndefined()
  })

  it.each([
    '',
    'abc',
    '%%%',
    encoded(null),
    encoded({}),
    encoded([]),
    encoded(['x', '2020-01-01T00:00:00.000001Z']),
    encoded(['x', '2020-01-01T00:00:00.000001Z', 1, 2]),
    encoded(['x', '2020-01-01T00:00:00.000001Z', '1']),
    encoded(['x', '2020-01-01T00:00:00.000001Z', 1.5]),
    encoded(['x', '2020-01-01T00:00:00.000001Z', 1e300]),
    encoded(['x', '2020-02-30T00:00:00.000001Z', 1]),
    encoded(['x', 'infinity', 1]),
    encoded(['x', '2020-01-01', 1]),
    encoded(['x\0', '2020-01-01T00:00:00.000001Z', 1]),
    // The same place in other spellings.
    Buffer.from('["x", "2020-01-01T00:00:00.000001Z", 7]').toString('base64url'),
    Buffer.from('["x","2020-01-01T00:00:00.000001Z",7.0]').toString('base64url'),
    `${encoded(['x', '2020-01-01T00:00:00.000001Z', 7])}=`,
  ])('%s is refused', cursor => {
    expect(() => readCursor(cursor, KINDS)).toThrow(/^cursor must/)
  })
})
