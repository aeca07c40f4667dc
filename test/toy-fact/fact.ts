import { Type } from 'typebox'
import { itemFact } from '../../src/derive/items/item-fact.ts'
import { ignitionDays } from './ignition-days.ts'

/** The smallest complete fact: how often the ignition was turned on in a day. */
export const toyFact = itemFact({
  name: 'ignition_days',
  part: ignitionDays,
  columns: { cycles: { name: 'cycles', type: 'integer', schema: Type.Integer({ examples: [3] }) } },
  list: {
    permission: 'trips',
    tag: 'Trips',
    summary: 'List days on which the ignition was turned on',
    description: 'By startTimestamp, when it first was.',
  },
})
