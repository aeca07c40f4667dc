import { type Static, Type } from 'typebox'
import {
  deviceIdParameter,
  filterTimestampParameter,
  idParameter,
  syncListParameters,
  textsParameter,
} from '../../../server/http/parameters.ts'
import { deviceId, instant, nullable, revision, syncList } from '../../schemas.ts'

/** Also for the stream, whose frames contain vehicles. */
export const lastEventTypesParameter = () =>
  textsParameter(
    'Only these event types in lastEvents, separated by commas; everything else stays as it is, the modifyTimestamp ' +
      'included. Unknown ones match nothing. Ask for what you show: lists get many times shorter (beyond the original ' +
      'document).',
    ['POSITION,GPS_SPEED'],
  )

export const VehicleListQuery = Type.Object({
  deviceId: Type.Optional(deviceIdParameter('Only the vehicles that this device was in.')),
  ...syncListParameters('modifyTimestamp'),
  lastEventTypes: Type.Optional(lastEventTypesParameter()),
})
export type VehicleListQuery = Static<typeof VehicleListQuery>

export const VehiclePath = Type.Object({
  vehicleId: idParameter('Public id: `VIN` and the VIN, or `IMEI_` and the IMEI of its first device.', [
    'VINWVWZZZ1JZ3W386752',
  ]),
})

export const VehicleQuery = Type.Object({
  deviceId: Type.Optional(deviceIdParameter('Only lastEvents of this device in this vehicle.')),
  filterTimestamp: Type.Optional(filterTimestampParameter()),
  lastEventTypes: Type.Optional(lastEventTypesParameter()),
})

/** The camelCase shape of an event (fleet-api-v2.md, *Vehicle*, lastEvents). */
export const LastEvent = Type.Object(
  {
    deviceId,
    recordedTimestamp: instant('When it was measured.'),
    eventType: Type.String({ examples: ['MILEAGE'] }),
    dataType: Type.Enum(['STRING', 'BOOLEAN', 'NUMBER', 'GEO']),
    value: Type.Union([Type.Number(), Type.Boolean(), Type.String()], { examples: [48211.4] }),
    unit: Type.Optional(Type.String({ description: 'Only for NUMBER.', examples: ['km'] })),
    unitId: Type.Optional(Type.Integer({ description: 'Only for NUMBER.', examples: [111] })),
  },
  { title: 'LastEvent', description: 'The newest measurement of one event type.' },
)

export const Vehicle = Type.Object(
  {
    id: Type.String({ examples: ['VINWVWZZZ1JZ3W386752'] }),
    vin: Type.String({ description: 'Empty while it is not known.' }),
    tecDocMakeId: Type.Integer(),
    tecDocModelId: Type.Integer(),
    tecDocVehicleId: Type.Integer(),
    make: Type.String(),
    model: Type.String(),
    vehicle: Type.String(),
    fuelType: Type.String(),
    kba: Type.String(),
    licensePlate: Type.String(),
    deviceId: nullable(deviceId),
    tripId: Type.String({ description: 'Empty when it is not driving.' }),
    color: Type.Optional(
      Type.String({
        description: 'As set by people, and only then (beyond the original document).',
        examples: ['white'],
      }),
    ),
    group: Type.Optional(
      Type.String({
        description: 'Which vehicles it belongs with, as set by people, and only then (beyond the original document).',
        examples: ['Munich depot'],
      }),
    ),
    lastEvents: Type.Array(LastEvent, { description: 'The newest event of every type, by event type.' }),
    modifyTimestamp: revision('When anything of it changed last.'),
    deleteTimestamp: nullable(instant('Set: it should not be displayed any more.')),
  },
  { title: 'Vehicle', description: 'A car with its latest values.' },
)

export const VehicleList = syncList('vehicles', Vehicle, 'VehicleList')
