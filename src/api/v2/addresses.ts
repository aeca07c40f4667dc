import { Type } from 'typebox'
import { Gazetteer } from '../../geo/gazetteer.ts'
import { positionParameter } from '../../server/http/parameters.ts'
import { type Resource, routesOf } from '../context.ts'

/** GET /addresses/{position}: what a place is called, for cars that drive: trips have addresses of their ends only. */
export const addresses: Resource = (server, context) => {
  const route = routesOf(server, context, { access: 'positions', tag: 'Vehicles' })
  route('GET /addresses/:position', {
    summary: 'Name a position',
    description:
      'Beyond the original document. Suburb, locality, state and country of a position, from the places of GeoNames ' +
      'that come with Tacho: no other server learns of it. Streets are in the addresses of trips, where a geocoder is set.',
    params: AddressPath,
    reply: PlaceName,
    answer: async asked => {
      const gazetteer = await Gazetteer.load()
      const texts = gazetteer.textsAt(asked.params.position)
      const { suburb = '', locality = '', state = '', country = '' } = texts?.[asked.language] ?? {}
      return { suburb, locality, state, country }
    },
  })
}

const AddressPath = Type.Object({
  position: positionParameter('Latitude and longitude in degrees.'),
})

const PlaceName = Type.Object(
  {
    suburb: Type.String({ examples: ['Haidhausen'] }),
    locality: Type.String({ examples: ['Munich'] }),
    state: Type.String({ examples: ['Bavaria'] }),
    country: Type.String({ examples: ['Germany'] }),
  },
  { title: 'PlaceName', description: 'What a place is called; unknown parts are empty.' },
)
