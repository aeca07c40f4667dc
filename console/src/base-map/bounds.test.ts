import { expect, it } from 'vitest'
import { boundsOf } from './bounds.ts'

it('a box holds all points', () => {
  expect(
    boundsOf([
      [8, 49],
      [-3, 50],
    ]),
  ).toEqual([-3, 49, 8, 50])
  expect(boundsOf([])).toBeUndefined()
})
