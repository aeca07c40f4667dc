import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { openTestDatabase } from '../../test/database.ts'
import { sql } from '../db/sql.ts'
import { packedBytesAtMost, packedLength, packNumbers, unpackNumbers } from './packed-numbers.ts'

const number = fc.oneof(
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.integer(),
  fc.integer({ min: 0, max: 200 }),
)

function packed(numbers: readonly number[]): Buffer {
  const buffer = Buffer.alloc(packedBytesAtMost(numbers.length) + 3)
  return buffer.subarray(3, packNumbers(numbers, new DataView(buffer.buffer, buffer.byteOffset, buffer.length), 3))
}

const database = await openTestDatabase()

describe('packed numbers', () => {
  it('come back to the bit', () => {
    fc.assert(
      fc.property(fc.array(number, { maxLength: 40 }), numbers => {
        expect(unpackNumbers(packed(numbers), numbers.length)).toEqual(numbers)
      }),
    )
  })

  it('cost little where they are of a coarse grain', () => {
    expect(packed([0, 1, 50, 8200, 0.5])).toHaveLength(3 + 0 + 2 + 2 + 4 - 1 + 2)
  })

  it('know their length, and refuse to be read when some are missing', () => {
    fc.assert(
      fc.property(fc.array(number, { maxLength: 9 }), numbers => {
        const bytes = packed(numbers)
        expect(packedLength(bytes, numbers.length)).toBe(bytes.length)
      }),
    )
    expect(() => unpackNumbers(packed([1.1]).subarray(0, 5), 1)).toThrow(RangeError)
  })

  it('are read the same by SQL', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(number, { maxLength: 20 }), async numbers => {
        const [row] = await database.rows<{ numbers: number[] }>(
          sql`select unpack_numbers(${packed(numbers)}::bytea, ${numbers.length}) as numbers`,
        )
        expect(row?.numbers.map(value => value + 0)).toEqual(numbers.map(value => value + 0))
      }),
      { numRuns: 50 },
    )
  })
})
