import { expect, it } from 'vitest'
import { fileNameOf } from './file-name.ts'

it.each([
  [['KA-TX 12', '2026-11-21'], 'KA-TX-12_2026-11-21.gpx'],
  [['../../etc', 'a/b\\c:d'], 'etc_a-b-c-d.gpx'],
  [['München', ''], 'München.gpx'],
  [['?', ''], 'export.gpx'],
])('a file of %j is named %s', (parts, name) => {
  expect(fileNameOf(parts, 'gpx')).toBe(name)
})
