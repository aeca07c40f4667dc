import { deflateRawSync } from 'node:zlib'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { inflatedBriefly } from './inflated.ts'

describe('inflating a few bytes', () => {
  it('gives the bytes again, one time after the other', () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 300 })), pieces => {
        for (const bytes of pieces) expect([...inflatedBriefly(deflateRawSync(bytes))]).toEqual([...bytes])
      }),
    )
  })

  it('gives more than fit into the memory that it has, and just as much', () => {
    for (const length of [16_384, 16_385, 100_000, 3]) {
      const bytes = Uint8Array.from({ length }, (_, index) => (index * index) >> 5)
      expect(Buffer.from(bytes).equals(inflatedBriefly(deflateRawSync(bytes)))).toBe(true)
    }
  })

  it('throws for bytes that are none or end too early, and goes on with the next ones', () => {
    const deflated = deflateRawSync(Buffer.from('a column of a day, a column of a day'))
    expect(() => inflatedBriefly(Buffer.from([255, 1, 2, 3]))).toThrow('invalid block type')
    expect(() => inflatedBriefly(deflated.subarray(0, 10))).toThrow('unexpected end of file')
    expect(() => inflatedBriefly(Buffer.alloc(0))).toThrow('unexpected end of file')
    expect(Buffer.from(inflatedBriefly(deflated)).toString()).toBe('a column of a day, a column of a day')
  })
})
