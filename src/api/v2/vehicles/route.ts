import { hiddenEventTypes } from '../../../catalogue/permissions.ts'
import { notFound } from '../../../model/errors.ts'
import { callerOf } from '../../../server/http/access.ts'
import { sendJsonList, sendJsonText } from '../../../server/http/reply.ts'
import type { Resource } from '../../context.ts'
import { linkNext } from '../../lists.ts'
import { requestReads } from '../../request-reads.ts'
import { ErrorBody, errorReplies, languageHeader } from '../../schemas.ts'
import { havePositions, notePositions } from '../../security-lines.ts'
import { type FoundVehicle, findVehicle, type LatestRow, listVehicles, type VehicleRow, wasInVehicle } from './query.ts'
import { Vehicle, VehicleList, VehicleListQuery, VehiclePath, VehicleQuery } from './schema.ts'
import { selectLastEvents, vehicleJson, vehicleTexts } from './vehicle-json.ts'

/** GET /vehicles and /vehicles/{vehicleId}: the cars of the caller's account with their latest values. */
export const vehicles: Resource = (server, { database }) => {
  server.get(
    '/vehicles',
    {
      config: { access: 'vehicles' },
      schema: {
        tags: ['Vehicles'],
        summary: 'List vehicles',
        description:
          'By id; by modifyTimestamp with filterTimestamp, and then the ids that vehicles had before their VIN was ' +
          'known are listed too, as deleted.',
        headers: languageHeader,
        querystring: VehicleListQuery,
        response: { 200: VehicleList, ...errorReplies },
      },
    },
    async (request, reply) => {
      const { accountId, permissions } = callerOf(request)
      const { query } = request
      const reads = requestReads(database, request, reply)
      const page = await listVehicles(reads, accountId, query)
      const items = await vehicleTexts(reads, page.rows, hiddenEventTypes(permissions), query.lastEventTypes)
      if (page.next) linkNext(request, reply, page.next)
      if (havePositions(query.lastEventTypes)) notePositions(request, {})
      return sendJsonList(reply, '{"vehicles":[', items, `],"modifyTimestamp":"${page.modifyTimestamp}"}`)
    },
  )
  server.get(
    '/vehicles/:vehicleId',
    {
      config: { access: 'vehicles', etag: true },
      schema: {
        tags: ['Vehicles'],
        summary: 'Get one vehicle',
        headers: languageHeader,
        params: VehiclePath,
        querystring: VehicleQuery,
        response: { 200: Vehicle, ...errorReplies, 404: ErrorBody },
      },
    },
    async (request, reply) => {
      const { accountId, permissions } = callerOf(request)
      const { deviceId, lastEventTypes } = request.query
      const reads = requestReads(database, request, reply)
      const rows = await findVehicle(reads, accountId, request.params.vehicleId)
      const [vehicle] = rows
      if (!vehicle) throw notFound(`The vehicle ${request.params.vehicleId}`)
      if (deviceId !== undefined && !(await wasInVehicle(reads, deviceId, vehicle.id)))
        throw notFound(`The device ${deviceId} in the vehicle ${request.params.vehicleId}`)
      const latest = rows.filter(isLatest).filter(row => deviceId === undefined || row.latest_device === deviceId)
      const selection = selectLastEvents(lastEventTypes, hiddenEventTypes(permissions))
      notePositions(request, { vehicleId: request.params.vehicleId })
      return sendJsonText(reply, vehicleJson(vehicle, latest, selection))
    },
  )
}

function isLatest(row: FoundVehicle): row is VehicleRow & LatestRow {
  return row.latest_device !== null
}
