import { expect, test } from 'vitest'
import { readDocument } from '../../../test/document.ts'
import { FLEET_FAULTS } from '../../simulation/fleet/fleet-faults.ts'

test('docs/simulate.md describes every fault in the words of the program', () => {
  const { text } = readDocument('docs/simulate.md')
  const described = [...text.matchAll(/^\| `([a-z-]+)` \| (.*) \|$/gm)].map(([, name, description]) => ({
    name,
    description,
  }))
  expect(described).toEqual(FLEET_FAULTS)
})
