import { type Static, Type } from 'typebox'
import { booleanParameter, filterTimestampParameter, idParameter } from '../../../server/http/parameters.ts'
import { timedListQuery } from '../../lists.ts'
import { deviceId, instant, nullable, revision, syncList } from '../../schemas.ts'

/** Start or end position of a trip (fleet-api-v2.md, *Address*); the texts are in the language of the reply. */
export const Address = Type.Object(
  {
    id: Type.String({ description: 'Address identifier.', examples: ['815'] }),
    road: Type.String({ examples: ['Rosenheimer Straße'] }),
    houseNumber: Type.String({ examples: ['145'] }),
    suburb: Type.String({ examples: ['Haidhausen'] }),
    locality: Type.String({ examples: ['Munich'] }),
    state: Type.String({ examples: ['Bavaria'] }),
    country: Type.String({ examples: ['Germany'] }),
    postcode: Type.String({ examples: ['81671'] }),
    lat: Type.Number({ format: 'float', description: 'Latitude in degrees.', examples: [48.1275] }),
    lon: Type.Number({ format: 'float', description: 'Longitude in degrees.', examples: [11.6055] }),
  },
  { title: 'Address', description: 'A place; unknown parts are empty.' },
)
export type Address = Static<typeof Address>

/** An item of a trip's `aggregations`; note the snake_case `unit_id` of the contract. */
export const TripAggregation = Type.Object(
  {
    eventType: Type.String({ examples: ['MILEAGE'] }),
    dataType: Type.String({ description: 'NUMBER, or GEO for the polyline.', examples: ['NUMBER'] }),
    aggregationType: Type.Enum(['START', 'END', 'POLYLINE']),
    value: Type.Unsafe<number | string>({
      type: ['number', 'string'],
      description: 'A number for START and END; an encoded polyline (precision 5) for POLYLINE.',
      examples: [50321.4],
    }),
    unit_id: Type.Optional(Type.Integer({ description: 'Absent for POLYLINE.', examples: [111] })),
    unit: Type.Optional(Type.String({ description: 'Absent for POLYLINE.', examples: ['km'] })),
  },
  { title: 'TripAggregation', description: 'What an event type was at the ends of the trip, or the way it took.' },
)
export type TripAggregation = Static<typeof TripAggregation>

const tripAddress = (description: string) => Type.Union([Address, Type.Null()], { description })

/** An interval in which a car was driving (fleet-api-v2.md, *Trip*). */
export const Trip = Type.Object(
  {
    id: Type.String({ description: 'Trip identifier.', examples: ['4711'] }),
    deviceId,
    vehicleId: Type.String({ description: 'The vehicle that was driven.', examples: ['VINWVWZZZ1KZAW000001'] }),
    tripStartAddress: tripAddress('Where it began; null without a position or the permission `positions`.'),
    tripEndAddress: tripAddress(
      'Where it ended; null while it is in progress, and without a position or the permission `positions`.',
    ),
    distance: Type.Number({ format: 'float', description: 'Driven distance in km.', examples: [12.345] }),
    duration: Type.Integer({ format: 'int32', description: 'Seconds from start to end.', examples: [1080] }),
    tripStartTimestamp: instant('When it began.'),
    tripEndTimestamp: instant('When it ended; of a trip in progress, its last measurement.'),
    aggregations: Type.Array(TripAggregation),
    deleteTimestamp: nullable(instant('When the trip was marked as deleted, else null.')),
    modifyTimestamp: revision('When the trip status last changed.'),
  },
  {
    title: 'Trip',
    description:
      'A drive: with ignition or engine on, or in motion where the device reports neither; short pauses included.',
  },
)
export type Trip = Static<typeof Trip>

export const TripList = syncList('trips', Trip, 'TripList')

export const TripListQuery = Type.Object({
  ...timedListQuery({
    begin: 'tripStartTimestamp',
    deviceId: 'Only trips that this device recorded.',
    vehicleId: 'Only trips of this vehicle.',
    includeDeleted: 'Also list trips that are marked as deleted',
  }).properties,
  positions: Type.Optional(
    booleanParameter(
      'false: without addresses and routes, as for callers without the permission; the security log then names no reading of positions (beyond the original document).',
    ),
  ),
})

export const TripPath = Type.Object({ tripId: idParameter('The id of the trip.', ['4711']) })

export const TripQuery = Type.Object({
  filterTimestamp: Type.Optional(filterTimestampParameter()),
})
