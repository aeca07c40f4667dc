import { writeTransaction } from '../../../db/transaction.ts'
import { admitDevices, deleteWithin, moveDevice } from '../../../fleet/with-consequences.ts'
import { badRequest, notFound } from '../../../model/errors.ts'
import { callerOf } from '../../../server/http/access.ts'
import type { Resource } from '../../context.ts'
import { ErrorBody } from '../../schemas.ts'
import { audit, recordChange } from '../audit.ts'
import { changeReplies, NoContent } from '../schemas.ts'
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
          'Adds a dongle that was never seen, with a car of its own. One that is there already is refused. Where there are ' +
          'several accounts, so is one that the operator of the service has not handed out to this account; and one that ' +
          'has reported nothing after some weeks is given up again.',
        body: NewDeviceBody,
        response: { 201: AddedDevice, ...changeReplies },
      },
    },
    async (request, reply) => {
      const { accountId } = callerOf(request)
      const entry = readNewDevice(request.body, accountId)
      const change = { action: 'device added', deviceId: entry.deviceId } as const
      // A refused claim is recorded, so the transaction commits.
      const outcome = await writeTransaction(database, async transaction => {
        const entered = await admitDevices(transaction, [entry], {
          firstAccountId: accountId,
          onlyNew: true,
          claimantId: accountId,
        })
        if (entered.kind === 'entered') await recordChange(transaction, request, change)
        else await recordChange(transaction, request, { ...change, action: 'device refused' })
        return entered
      })
      if (outcome.kind === 'refused') {
        audit(request, { ...change, action: 'device refused' })
        throw badRequest(outcome.problems.map(({ field, text }) => `${field} ${text}.`).join(' '))
      }
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
  server.delete(
    '/devices/:deviceId',
    {
      config: settings,
      schema: {
        tags,
        summary: 'Delete a dongle and its car',
        description:
          'Erases everything that the dongle measured, its trips, fault codes and statistics, and every car in which no ' +
          'other dongle ever was. Clients that sync are told that trips, codes and cars are deleted; of these nothing but ' +
          'the ids is left. It can not be undone.',
        params: DevicePath,
        response: { 204: NoContent, ...changeReplies, 404: ErrorBody },
      },
    },
    async (request, reply) => {
      const { accountId } = callerOf(request)
      const { deviceId } = request.params
      const change = { action: 'device deleted', deviceId } as const
      const outcome = await writeTransaction(database, async transaction => {
        const deleted = await deleteWithin(transaction, { deviceId, ownerId: accountId })
        if (deleted.kind === 'erased') await recordChange(transaction, request, change)
        return deleted
      })
      if (outcome.kind === 'unknown') throw notFound(`The device ${deviceId}`)
      if (outcome.kind === 'refused') throw badRequest(`The device ${deviceId} ${outcome.text}.`)
      audit(request, change)
      return reply.code(204).send(null)
    },
  )
}
