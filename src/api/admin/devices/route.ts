import { badRequest, notFound } from '../../../errors.ts'
import { callerOf } from '../../../http/access.ts'
import { admitDevices } from '../../../intake/admit-devices.ts'
import { moveDevice } from '../../../intake/late/move-device.ts'
import { writeTransaction } from '../../../store/transaction.ts'
import type { Resource } from '../../context.ts'
import { ErrorBody } from '../../schemas.ts'
import { audit, recordChange } from '../audit.ts'
import { changeReplies } from '../schemas.ts'
import { readMove, readNewDevice } from './read-bodies.ts'
import { AddedDevice, DevicePath, MoveBody, MovedDevice, NewDeviceBody } from './schema.ts'

/** /admin/devices: which dongles the caller's account has, and in which cars they are. GET /devices of the API lists them. */
export const administeredDevices: Resource = (server, { database }) => {
  const settings = { access: 'administration' } as const
  const tags = ['Administration']
  server.post(
    '/devices',
    {
      config: settings,
      schema: {
        tags,
        summary: 'Let a dongle in',
        description:
          'Adds a dongle that was never seen, with a car of its own. One that is there already, in this account or in ' +
          'another, is refused.',
        body: NewDeviceBody,
        response: { 201: AddedDevice, ...changeReplies },
      },
    },
    async (request, reply) => {
      const { accountId } = callerOf(request)
      const entry = readNewDevice(request.body, accountId)
      const change = { action: 'device added', deviceId: entry.deviceId } as const
      await writeTransaction(database, async transaction => {
        const outcome = await admitDevices(transaction, [entry], { firstAccountId: accountId, onlyNew: true })
        if (outcome.kind === 'refused')
          throw badRequest(outcome.problems.map(({ field, text }) => `${field} ${text}.`).join(' '))
        await recordChange(transaction, request, change)
      })
      const { deviceId } = entry
      audit(request, change)
      return reply.code(201).send({ deviceId })
    },
  )
  server.post(
    '/devices/:deviceId/move',
    {
      config: settings,
      schema: {
        tags,
        summary: 'Put a dongle into another car',
        description:
          'What the dongle measured from that instant on belongs to the other car: trips, fault codes, latest values, ' +
          'statistics. The former car keeps what was before.',
        params: DevicePath,
        body: MoveBody,
        response: { 200: MovedDevice, ...changeReplies, 404: ErrorBody },
      },
    },
    async request => {
      const { accountId } = callerOf(request)
      const { deviceId } = request.params
      const { field, to, atMs } = readMove(request.body)
      const outcome = await moveDevice(database, { deviceId, to, accountId: undefined, ownerId: accountId, atMs })
      if (outcome.kind === 'unknown') throw notFound(`The device ${deviceId}`)
      if (outcome.kind === 'refused')
        throw badRequest(`${outcome.field === 'atMs' ? 'fromTimestamp' : field}: ${outcome.text}.`)
      const { publicId: vehicleId } = outcome
      const fromTimestamp = new Date(outcome.atMs).toISOString()
      const change = { action: 'device moved', deviceId, vehicleId, fromTimestamp } as const
      // A move takes more than one transaction.
      await writeTransaction(database, transaction => recordChange(transaction, request, change))
      audit(request, change)
      return { deviceId, vehicleId, fromTimestamp }
    },
  )
}
