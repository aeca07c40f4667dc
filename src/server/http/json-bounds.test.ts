import fc from 'fast-check'
import { expect, test } from 'vitest'
import { requireBounded } from './json-bounds.ts'

const UNBOUNDED = Number.POSITIVE_INFINITY
const bytes = (text: string) => Buffer.from(text)

function isTooDeep(text: Uint8Array, depth: number): boolean {
  try {
    requireBounded(text, { depth, values: UNBOUNDED })
    return false
  } catch (error) {
    return error instanceof Error && error.message.includes('too deeply')
  }
}

/** How deep a parsed value is, and how many values it holds with itself. */
function measured(value: unknown): { depth: number; values: number } {
  if (typeof value !== 'object' || value === null) return { depth: 0, values: 1 }
  const inside = Object.values(value).map(measured)
  return {
    depth: 1 + Math.max(0, ...inside.map(({ depth }) => depth)),
    values: 1 + inside.reduce((sum, { values }) => sum + values, 0),
  }
}

test('what JSON holds is counted as the parser would find it', () => {
  fc.assert(
    fc.property(fc.json({ maxDepth: 6 }), fc.boolean(), (json, isSpread) => {
      const text = bytes(isSpread ? JSON.stringify(JSON.parse(json), undefined, 2) : json)
      const { depth, values } = measured(JSON.parse(json))
      expect(() => requireBounded(text, { depth, values: UNBOUNDED })).not.toThrow()
      expect(isTooDeep(text, depth - 1)).toBe(depth > 0)
      // An empty array or object counts as if it held something.
      expect(() => requireBounded(text, { depth, values: 2 * values })).not.toThrow()
      expect(() => requireBounded(text, { depth, values: values - 1 })).toThrow(/too many values/)
    }),
  )
})

test('brackets and quotes in texts are no structure', () => {
  const text = JSON.stringify({ a: `[[[[{{{{ \\ " \\" ]]`, b: '\\' })
  expect(() => requireBounded(bytes(text), { depth: 1, values: 4 })).not.toThrow()
  expect(() => requireBounded(bytes('"never ended [[[['), { depth: 1, values: 4 })).not.toThrow()
})

test('each line is a text of its own where lines are', () => {
  expect(() => requireBounded(bytes('[1\n[2\n[3\n'), { depth: 1, values: 10 }, 'lines')).not.toThrow()
  expect(() => requireBounded(bytes('[1\n[2\n[3\n'), { depth: 1, values: 10 })).toThrow(/too deeply/)
  expect(() => requireBounded(bytes('\n'.repeat(20)), { depth: 1, values: 10 }, 'lines')).toThrow(/too many values/)
})

test('it says with which status', () => {
  const refused = (text: string) => () => requireBounded(bytes(text), { depth: 2, values: 3 })
  expect(refused('[[[1]]]')).toThrow(expect.objectContaining({ status: 400 }))
  expect(refused('[1,2,3,4]')).toThrow(expect.objectContaining({ status: 413 }))
})
