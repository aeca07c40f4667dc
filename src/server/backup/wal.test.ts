import fc from 'fast-check'
import { expect, test } from 'vitest'
import { lsnOf, lsnText, SEGMENT_BYTES, segmentAt, segmentBefore, segmentName, segmentOf } from './wal.ts'

test('positions and names are those of PostgreSQL', () => {
  expect(lsnOf('16/B374D848')).toBe(0x16_b374_d848)
  expect(lsnText(0x16_b374_d848)).toBe('16/B374D848')
  expect(segmentName(1, segmentAt(lsnOf('16/B374D848')))).toBe('0000000100000016000000B3')
  expect(segmentBefore(lsnOf('0/3000000'))).toBe(2)
  expect(segmentOf('000000010000000000000002.partial')).toBeUndefined()
})

test('names and positions can be read back', () => {
  fc.assert(
    fc.property(fc.maxSafeNat(), lsn => {
      expect(lsnOf(lsnText(lsn))).toBe(lsn)
      const segment = segmentAt(lsn)
      expect(segment * SEGMENT_BYTES).toBeLessThanOrEqual(lsn)
      expect(segmentOf(segmentName(7, segment))).toBe(segment)
    }),
  )
})
