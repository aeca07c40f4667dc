import { Type } from 'typebox'
import { LONGEST_TEXTS } from '../../../fleet/device-entry.ts'
import type { VehicleSettings } from '../../../fleet/vehicle-settings.ts'
import { idParameter } from '../../../server/http/parameters.ts'
import { checkedByRoute } from '../../schemas.ts'

export const MAX_NUMBER_PLATE_CHARACTERS = 100

/** A VIN (ISO 3779), in either letter case. */
export const VIN_PATTERN = '^[A-HJ-NPR-Za-hj-npr-z0-9]{17}$'

const orNull = (schema: { readonly type: string } & Record<string, unknown>) =>
  Type.Optional(Type.Unsafe({ ...schema, type: [schema.type, 'null'] }))

const Settings = Type.Object(
  {
    vin: orNull({
      type: 'string',
      pattern: VIN_PATTERN,
      description: 'VIN of the vehicle, for when it could not be detected. It changes the id of the vehicle.',
    }),
    numberPlate: orNull({ type: 'string', maxLength: MAX_NUMBER_PLATE_CHARACTERS, description: 'Number plate.' }),
    make: orNull({
      type: 'string',
      maxLength: LONGEST_TEXTS.make,
      description:
        'Make of the vehicle, for when the VIN does not tell it; empty: as the VIN tells (beyond the original document).',
    }),
    model: orNull({
      type: 'string',
      maxLength: LONGEST_TEXTS.model,
      description: 'Model of the vehicle (beyond the original document).',
    }),
    fuelType: orNull({
      type: 'string',
      maxLength: LONGEST_TEXTS.fuelType,
      description: 'What it runs on; empty: as the vehicle reports it (beyond the original document).',
    }),
    color: orNull({
      type: 'string',
      maxLength: LONGEST_TEXTS.color,
      description: 'Colour of the vehicle, in your own words (beyond the original document).',
    }),
    group: orNull({
      type: 'string',
      maxLength: LONGEST_TEXTS.group,
      description:
        'Which vehicles it belongs with, such as a site or a department, in your own words (beyond the original document).',
    }),
    alarmSystem: orNull({ type: 'boolean', description: 'Whether an additional alarm system exists.' }),
    deleteTimestamp: orNull({
      type: 'string',
      format: 'date-time',
      description: 'Marks the vehicle as deleted: it should not be displayed any more. null resets the mark.',
    }),
  },
  {
    title: 'Settings',
    additionalProperties: false,
    ...checkedByRoute({ minProperties: 1 }),
    description: 'One or several settings. A null leaves a setting as it is, except deleteTimestamp.',
  },
)

/** `{"settings": {…}}` as the contract describes it, and the bare object as its sample sends it. */
export const SettingsBody = Type.Unsafe<VehicleSettings>(
  Type.Union(
    [Type.Object({ settings: Settings }, { title: 'SettingsChange', additionalProperties: false }), Settings],
    {
      examples: [{ settings: { numberPlate: 'M-TC 4711', alarmSystem: true } }],
    },
  ),
)

export const VehiclePath = Type.Object({
  vehicleId: idParameter('Id of the vehicle, or one that it had before its VIN was known.', [
    'VINWVWZZZ1KZAW000001',
    'IMEI_356307042441013',
  ]),
})

export const SettingsReply = Type.Object({}, { description: 'The settings hold.' })
