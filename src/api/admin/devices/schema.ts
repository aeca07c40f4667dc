import { type Static, Type } from 'typebox'
import { GREATEST_NUMBER, LONGEST_TEXTS } from '../../../fleet/device-entry.ts'
import { DEVICE_ID, deviceIdParameter } from '../../../server/http/parameters.ts'
import { checkedByRoute } from '../../openapi-components.ts'
import { deviceId, instant } from '../../schemas.ts'
import { VIN_PATTERN } from '../../v2/vehicle-settings/schema.ts'
import { timestampIn } from '../schemas.ts'

const text = (maxLength: number, description: string, example: string) =>
  Type.Optional(Type.String({ maxLength, description, examples: [example] }))
const catalogueNumber = (description: string, example: number) =>
  Type.Optional(Type.Integer({ minimum: 0, maximum: GREATEST_NUMBER, description, examples: [example] }))

const vin = (description: string) =>
  Type.Optional(
    Type.String({ description, examples: ['WVWZZZ1KZAW000001'], ...checkedByRoute({ pattern: VIN_PATTERN }) }),
  )
const licensePlate = (description: string) => text(LONGEST_TEXTS.plate, description, 'M-TC 4711')

/** A dongle and its car, as they are entered. */
export const NewDeviceBody = Type.Object(
  {
    deviceId: Type.Integer({
      ...DEVICE_ID,
      description: 'IMEI of the dongle, with its check digit; or the number of a phone, of at most ten digits.',
      examples: [356307042441013],
    }),
    vin: vin('VIN of the car. If the account has that car without a dongle, this one is in it.'),
    licensePlate: licensePlate('Number plate.'),
    make: text(LONGEST_TEXTS.make, 'Make of the car; by its VIN if absent.', 'Volkswagen'),
    model: text(LONGEST_TEXTS.model, 'Model.', 'Golf'),
    vehicle: text(LONGEST_TEXTS.vehicle, 'Type.', '1.4 TSI'),
    fuelType: text(LONGEST_TEXTS.fuelType, 'Fuel type; wins over what the dongle reports.', 'Diesel'),
    tecDocMakeId: catalogueNumber('Number of the make in the TecDoc catalogue.', 121),
    tecDocModelId: catalogueNumber('Number of the model in the TecDoc catalogue.', 6_174),
    tecDocVehicleId: catalogueNumber('Number of the type in the TecDoc catalogue (KTypNr).', 54_321),
    kba: text(LONGEST_TEXTS.kba, 'Numbers of the German registration, HSN and TSN.', '0603/BQM'),
    hardwareType: text(LONGEST_TEXTS.hardware, 'Model of the dongle, until it names its own.', 'FMC003'),
  },
  { title: 'NewDevice', additionalProperties: false },
)
export type NewDeviceBody = Static<typeof NewDeviceBody>

export const AddedDevice = Type.Object({ deviceId }, { title: 'AddedDevice' })

export const DevicePath = Type.Object({ deviceId: deviceIdParameter('The IMEI of the device.') })

/** Where a dongle is put. */
export const MoveBody = Type.Object(
  {
    vehicleId: Type.Optional(
      Type.String({ description: 'Id of a vehicle of the account.', examples: ['VINWVWZZZ1KZAW000001'] }),
    ),
    licensePlate: licensePlate('Number plate of a vehicle of the account.'),
    vin: vin('VIN of the vehicle, which is made if the account has none with that VIN.'),
    fromTimestamp: Type.Optional(timestampIn('Since when the dongle is in it; now if absent.')),
  },
  {
    title: 'Move',
    description: 'Exactly one of vehicleId, licensePlate and vin says into which vehicle.',
    additionalProperties: false,
    ...checkedByRoute({ oneOf: ['vehicleId', 'licensePlate', 'vin'].map(field => ({ required: [field] })) }),
  },
)
export type MoveBody = Static<typeof MoveBody>

export const MovedDevice = Type.Object(
  {
    deviceId,
    vehicleId: Type.String({ description: 'The vehicle that the dongle is in.', examples: ['VINWVWZZZ1KZAW000001'] }),
    fromTimestamp: instant('Since when.'),
  },
  { title: 'MovedDevice' },
)
