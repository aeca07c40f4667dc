import type { FastifySchemaCompiler } from 'fastify'
import type { TSchema } from 'typebox'
import { changeVehicleSettings } from '../../../fleet/vehicle-settings.ts'
import { callerOf } from '../../../server/http/access.ts'
import { validatorCompiler } from '../../../server/http/schemas.ts'
import type { Resource } from '../../context.ts'
import { ErrorBody, errorReplies, languageHeader } from '../../schemas.ts'
import { readSettings } from './read-settings.ts'
import { SettingsBody, SettingsReply, VehiclePath } from './schema.ts'

/** PUT and POST /vehicles/{vehicleId}/settings: the contract uses one in its heading, the other in its sample. */
export const vehicleSettings: Resource = (server, { database }) => {
  server.route({
    method: ['PUT', 'POST'],
    url: '/vehicles/:vehicleId/settings',
    config: { access: 'settings' },
    schema: {
      tags: ['Vehicles'],
      summary: 'Change settings of a vehicle',
      description: 'Changes all that is given or nothing. The object `settings` may also be sent bare.',
      headers: languageHeader,
      params: VehiclePath,
      body: SettingsBody,
      response: { 200: SettingsReply, ...errorReplies, 404: ErrorBody, 413: ErrorBody, 415: ErrorBody },
    },
    validatorCompiler: settingsValidator,
    handler: async request => {
      await changeVehicleSettings(database, callerOf(request).accountId, request.params.vehicleId, request.body)
      return {}
    },
  })
}

/** With two possible forms of the body, a schema can not name the attribute that is wrong. */
const settingsValidator: FastifySchemaCompiler<TSchema> = route =>
  route.httpPart === 'body'
    ? (body: unknown) => {
        try {
          return { value: readSettings(body) }
        } catch (error) {
          return { error: error instanceof Error ? error : new Error(String(error)) }
        }
      }
    : validatorCompiler(route)
