import { type Static, Type } from 'typebox'
import { findByGeocoder, geocoderOf } from '../../geo/address-jobs.ts'
import { Gazetteer } from '../../geo/gazetteer.ts'
import { type FoundPlace, PlaceSearch } from '../../geo/place-search.ts'
import { badRequest } from '../../model/errors.ts'
import type { Position } from '../../model/sample.ts'
import { booleanParameter, positionParameter, positionsParameter, textParameter } from '../../server/http/parameters.ts'
import { goneSignal } from '../../server/http/reply.ts'
import { type Resource, routesOf } from '../context.ts'
import type { Language } from '../replies.ts'

const MOST_PLACES = 10
/** More make an address longer than servers on the way take. */
const MOST_POSITIONS = 250
const LONGEST_TEXT = 200

/** GET /addresses/{position}: what a place is called, for cars that drive: trips have addresses of their ends only;
 * GET /places: where a place of a name is. */
export const addresses: Resource = (server, context) => {
  const geocoder = geocoderOf(context.config, context.clock)
  const route = routesOf(server, context, { access: 'positions', tag: 'Vehicles' })
  route('GET /addresses/:position', {
    summary: 'Name a position',
    description:
      'Beyond the original document. Suburb, locality, state and country of a position, from the places of GeoNames ' +
      'that come with Tacho: no other server learns of it. Streets are in the addresses of trips, where a geocoder is set.',
    params: AddressPath,
    reply: PlaceName,
    answer: async ({ params: { position }, language }) => nameOf(await Gazetteer.load(), position, language),
  })
  route('GET /addresses', {
    summary: 'Name positions',
    description: `Beyond the original document. The same of at most ${MOST_POSITIONS} positions, in their order.`,
    query: PositionsQuery,
    reply: PlaceNames,
    answer: async ({ query: { positions = [] }, language }) => {
      if (positions.length > MOST_POSITIONS) throw badRequest(`positions must be at most ${MOST_POSITIONS}.`)
      const gazetteer = await Gazetteer.load()
      return { addresses: positions.map(position => nameOf(gazetteer, position, language)) }
    },
  })
  route('GET /places', {
    access: 'any',
    summary: 'Find a place by its name',
    description:
      'Beyond the original document. At most ten places of GeoNames of which a word begins so, the largest first. With ' +
      '`addresses`, those of the geocoder follow, where one is set: for a text that is complete, not for each letter.',
    query: PlacesQuery,
    reply: FoundPlaces,
    answer: async ({ query: { text = '', addresses: isGeocoded = false }, language, reply }): Promise<FoundPlaces> => {
      if (text.length > LONGEST_TEXT) throw badRequest(`text must have at most ${LONGEST_TEXT} characters.`)
      const own = (await PlaceSearch.load()).find(text, language, MOST_PLACES)
      if (!geocoder) return { places: own, geocoder: 'none' }
      if (!isGeocoded || text === '') return { places: own, geocoder: 'not asked' }
      const wanted = { text, most: MOST_PLACES, language }
      const found = await findByGeocoder(context.database, geocoder, wanted, goneSignal(reply))
      const others = (found ?? []).filter(({ name }) => !own.some(place => place.name === name))
      return { places: [...own, ...others], geocoder: found ? 'answered' : 'failed' }
    },
  })
}

const PlacesQuery = Type.Object({
  text: Type.Optional(
    textParameter('The beginning of a name, of at most 200 characters; with `addresses` also road and number.', [
      'karls',
    ]),
  ),
  addresses: Type.Optional(booleanParameter('Whether the geocoder is asked, too.')),
})

const FoundPlaces = Type.Object(
  {
    places: Type.Array(
      Type.Object({
        name: Type.String({ examples: ['Karlsruhe'] }),
        within: Type.String({ description: 'State and country.', examples: ['Baden-Württemberg, Germany'] }),
        kind: Type.Unsafe<FoundPlace['kind']>({
          type: 'string',
          enum: ['place', 'suburb', 'address'],
          description: 'A town or village, a part of one, or what the geocoder found.',
        }),
        lat: Type.Number({ examples: [49.00937] }),
        lon: Type.Number({ examples: [8.40444] }),
      }),
    ),
    geocoder: Type.Unsafe<'none' | 'not asked' | 'answered' | 'failed'>({
      type: 'string',
      enum: ['none', 'not asked', 'answered', 'failed'],
      description: 'Whether a geocoder is set, and what became of asking it.',
    }),
  },
  { title: 'FoundPlaces', description: 'Places of a name.' },
)
type FoundPlaces = Static<typeof FoundPlaces>

function nameOf(gazetteer: Gazetteer, position: Position, language: Language): Static<typeof PlaceName> {
  const { suburb = '', locality = '', state = '', country = '' } = gazetteer.textsAt(position)?.[language] ?? {}
  return { suburb, locality, state, country }
}

const PositionsQuery = Type.Object({
  positions: Type.Optional(positionsParameter('Latitudes and longitudes in degrees, apart by semicolons.')),
})

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

const PlaceNames = Type.Object({ addresses: Type.Array(PlaceName) }, { title: 'PlaceNames' })
