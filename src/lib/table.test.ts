import { expect, test } from 'vitest'
import { minuteText, table } from './table.ts'

test('columns are as wide as what stands in them', () => {
  const rows = [
    ['1', 'broker', ''],
    ['12', 'a', 'x'],
  ]
  expect(table(['id', 'name', 'expires'], rows)).toBe(['ID  NAME    EXPIRES', '1   broker', '12  a       x'].join('\n'))
  expect(table(['id', 'name'], [])).toBe('ID  NAME')
})

test('instants to the minute', () => {
  expect(minuteText('2020-02-22T14:37:07.797123Z')).toBe('2020-02-22 14:37Z')
  expect(minuteText(null)).toBe('')
})
