import { expect, test } from 'vitest'
import { hexDump } from './hex-dump.ts'

test('bytes are shown as hexdump -C shows them', () => {
  const bytes = Buffer.from('000000000000003d8e0100000163000aTacho |~\x7f', 'latin1')
  expect(hexDump(bytes)).toBe(
    [
      '00000000  30 30 30 30 30 30 30 30  30 30 30 30 30 30 33 64  |000000000000003d|',
      '00000010  38 65 30 31 30 30 30 30  30 31 36 33 30 30 30 61  |8e0100000163000a|',
      '00000020  54 61 63 68 6f 20 7c 7e  7f                       |Tacho |~.|',
    ].join('\n'),
  )
  expect(hexDump(Buffer.alloc(0))).toBe('')
})
