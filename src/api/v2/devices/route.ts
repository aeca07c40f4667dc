import { notFound } from '../../../model/errors.ts'
import { callerOf } from '../../../server/http/access.ts'
import type { Resource } from '../../context.ts'
import { sendSyncPage } from '../../lists.ts'
import { requestReads } from '../../request-reads.ts'
import { ErrorBody, errorReplies, languageHeader } from '../../schemas.ts'
import { deviceOf, findDevice, listDevices } from './query.ts'
import { Device, DeviceList, DeviceListQuery, DevicePath, DeviceQuery } from './schema.ts'

/** GET /devices and /devices/{deviceId}: the dongles of the caller's account. */
export const devices: Resource = (server, { database }) => {
  server.get(
    '/devices',
    {
      config: { access: 'devices' },
      schema: {
        tags: ['Devices'],
        summary: 'List devices',
        description:
          'The dongles that are in a vehicle of the account, by id; by modifyTimestamp with filterTimestamp.',
        headers: languageHeader,
        querystring: DeviceListQuery,
        response: { 200: DeviceList, ...errorReplies },
      },
    },
    async (request, reply) => {
      const reads = requestReads(database, request, reply)
      const page = await listDevices(reads, callerOf(request).accountId, request.query)
      return sendSyncPage(request, reply, 'devices', page, deviceOf)
    },
  )
  server.get(
    '/devices/:deviceId',
    {
      config: { access: 'devices', etag: true },
      schema: {
        tags: ['Devices'],
        summary: 'Get one device',
        headers: languageHeader,
        params: DevicePath,
        querystring: DeviceQuery,
        response: { 200: Device, ...errorReplies, 404: ErrorBody },
      },
    },
    async (request, reply) => {
      const { deviceId } = request.params
      const reads = requestReads(database, request, reply)
      const row = await findDevice(reads, callerOf(request).accountId, deviceId)
      if (!row) throw notFound(`The device ${deviceId}`)
      return deviceOf(row)
    },
  )
}
