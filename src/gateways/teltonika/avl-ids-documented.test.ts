import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { requiredEventType } from '../../catalogue/event-types.ts'
import { AVL_ROWS, type AvlRow } from './avl-ids.ts'

const PAGE = 'docs/gateways/teltonika-values.md'

it(`${PAGE} has every row of the table, and no other`, () => {
  const documented = readFileSync(PAGE, 'utf8')
    .split('\n')
    .filter(line => /^\| \d/.test(line))
  expect(documented).toEqual(AVL_ROWS.map(lineOf))
})

function lineOf(row: AvlRow): string {
  const devices =
    row.families.length === 3 ? 'all' : row.families.length === 2 ? 'dongle, tracker' : row.families.join()
  return `| ${idsOf(row)} | ${row.eventType} | ${meaningOf(row)} | ${devices} |`
}

function idsOf(row: AvlRow): string {
  if (row.kind === 'text') return String(row.id)
  if (row.kind !== 'combined') return String(row.element.id)
  const needed = row.elements.map(({ id }) => id).join(' + ')
  return row.optional.length === 0 ? needed : `${needed} (${row.optional.map(({ id }) => id).join(', ')})`
}

function meaningOf(row: AvlRow): string {
  if (row.kind === 'number') {
    const { unit } = requiredEventType(row.eventType)
    const scale = row.perUnit === 1 ? '' : `, divided by ${row.perUnit}`
    return `${row.least} to ${row.most}${scale}${unit === '' ? '' : ` (${unit})`}`
  }
  if (row.kind === 'state')
    return Object.entries(row.states)
      .map(([raw, state]) => `${raw}: ${state}`)
      .join(', ')
  return { named: 'number of SAE J1979', text: 'text', combined: 'see below' }[row.kind]
}
