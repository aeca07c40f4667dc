import { Gazetteer } from '../../../geo/gazetteer.ts'
import type { Resource } from '../../context.ts'
import { languageOf } from '../../language.ts'
import { errorReplies, languageHeader } from '../../schemas.ts'
import { AddressPath, PlaceName } from './schema.ts'

/** GET /addresses/{position}: what a place is called, for cars that drive: trips have addresses of their ends only. */
export const addresses: Resource = server => {
  server.get(
    '/addresses/:position',
    {
      config: { access: 'positions' },
      schema: {
        tags: ['Vehicles'],
        summary: 'Name a position',
        description:
          'Beyond the original document. Suburb, locality, state and country of a position, from the places of GeoNames ' +
          'that come with Tacho: no other server learns of it. Streets are in the addresses of trips, where a geocoder is set.',
        headers: languageHeader,
        params: AddressPath,
        response: { 200: PlaceName, ...errorReplies },
      },
    },
    async request => {
      const gazetteer = await Gazetteer.load()
      const texts = gazetteer.textsAt(request.params.position)
      const {
        suburb = '',
        locality = '',
        state = '',
        country = '',
      } = texts?.[languageOf(request.headers['accept-language'])] ?? {}
      return { suburb, locality, state, country }
    },
  )
}
