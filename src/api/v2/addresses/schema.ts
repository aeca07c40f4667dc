import { Type } from 'typebox'
import { positionParameter } from '../../../server/http/parameters.ts'

export const AddressPath = Type.Object({
  position: positionParameter('Latitude and longitude in degrees.'),
})

/** What a place is called (beyond the original document). */
export const PlaceName = Type.Object(
  {
    suburb: Type.String({ examples: ['Haidhausen'] }),
    locality: Type.String({ examples: ['Munich'] }),
    state: Type.String({ examples: ['Bavaria'] }),
    country: Type.String({ examples: ['Germany'] }),
  },
  { title: 'PlaceName', description: 'What a place is called; unknown parts are empty.' },
)
