import { type Static, Type } from 'typebox'
import {
  booleanParameter,
  deviceIdParameter,
  deviceIdsParameter,
  filterTimestampParameter,
  syncListParameters,
} from '../../../server/http/parameters.ts'
import { deviceId, revision, syncList } from '../../schemas.ts'

/** A dongle, as clients see it (fleet-api-v2.md, *Device*). */
export const Device = Type.Object(
  {
    id: deviceId,
    manufacturer: Type.String({ description: 'Hardware manufacturer.', examples: ['Teltonika'] }),
    hardwareType: Type.String({ description: 'Hardware type.', examples: ['FMB003'] }),
    hardwareVersion: Type.String({ description: 'Hardware version.' }),
    firmwareVersion: Type.String({
      description: 'Software version that runs on the device.',
      examples: ['03.28.07.Rev.01'],
    }),
    isOnline: Type.Boolean({ description: 'Whether the device sends data at the moment.' }),
    isPluggedIn: Type.Boolean({ description: 'Whether the device is plugged into a vehicle.' }),
    vehicleId: Type.String({ description: 'The vehicle it is installed in.', examples: ['VINWVWZZZ1KZAW000001'] }),
    tripId: Type.String({
      description:
        'The trip in progress; empty when not driving, and while the trip of another device in the vehicle counts instead.',
      examples: ['4711'],
    }),
    modifyTimestamp: revision('When the device status last changed.'),
  },
  { title: 'Device', description: 'A dongle.' },
)
export type Device = Static<typeof Device>

export const DeviceList = syncList('devices', Device, 'DeviceList')

export const DeviceListQuery = Type.Object({
  deviceIds: Type.Optional(deviceIdsParameter('Only these devices: IMEIs, separated by commas.')),
  isOnline: Type.Optional(booleanParameter('Only devices that are online, or only those that are not.')),
  isPluggedIn: Type.Optional(booleanParameter('Only devices that are plugged in, or only those that are not.')),
  ...syncListParameters('modifyTimestamp'),
})
export type DeviceListQuery = Static<typeof DeviceListQuery>

export const DevicePath = Type.Object({ deviceId: deviceIdParameter('The IMEI of the device.') })

export const DeviceQuery = Type.Object({
  filterTimestamp: Type.Optional(filterTimestampParameter()),
})
