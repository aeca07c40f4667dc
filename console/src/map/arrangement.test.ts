import { expect, test } from 'vitest'
import { readArrangement } from './arrangement.ts'

test('the list is arranged as it was chosen last', () => {
  expect(readArrangement('{"order":"name","grouping":"model"}')).toEqual({ order: 'name', grouping: 'model' })
})

test.each([null, '', 'null', '7', '{', '{"order":"colour","grouping":1}'])(
  'what is not understood counts as not chosen: %s',
  stored => {
    expect(readArrangement(stored)).toEqual({ order: 'urgency', grouping: 'none' })
  },
)
