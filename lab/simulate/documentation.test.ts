import { expect, test } from 'vitest'
import { readDocument } from '../../test/document.ts'
import { FLEET_FAULTS } from '../simulation/fleet/fleet-faults.ts'
import { KINDS_OF_DONGLES } from '../simulation/kinds-of-dongles.ts'

test('lab/README.md describes every fault in the words of the program', () => {
  const { text } = readDocument('lab/README.md')
  const described = [...text.matchAll(/^\| `([a-z-]+)` \| (.*) \|$/gm)].map(([, name, description]) => ({
    name,
    description,
  }))
  expect(described).toEqual(FLEET_FAULTS)
})

test('lab/README.md describes every kind of dongle in the words of the program', () => {
  const { text } = readDocument('lab/README.md')
  const described = [...text.matchAll(/^- `([a-z-]+)`: (.*)$/gm)].map(([, name, about]) => ({ name, about }))
  expect(described).toEqual(KINDS_OF_DONGLES.map(({ name, about }) => ({ name, about })))
})
