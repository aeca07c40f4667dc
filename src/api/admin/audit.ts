import type { FastifyRequest } from 'fastify'
import { callerOf } from '../../http/access.ts'

/** What an administrator did, for the log. Never holds a password or a key. */
export type AdministrativeChange =
  | { readonly action: 'user created' | 'user removed'; readonly userId: number; readonly email: string }
  | {
      readonly action: 'user changed'
      readonly userId: number
      readonly email: string
      readonly isNewPassword: boolean
      readonly permissions?: readonly string[] | undefined
    }
  | {
      readonly action: 'key created' | 'key revoked' | 'key taken over'
      readonly keyId: number
      readonly keyName: string
    }
  | { readonly action: 'device added'; readonly deviceId: number }
  | {
      readonly action: 'device moved'
      readonly deviceId: number
      readonly vehicleId: string
      readonly fromTimestamp: string
    }

/** Writes into the log who changed what. To be called after the commit. */
export function audit(request: FastifyRequest, change: AdministrativeChange): void {
  const { kind, id, name, accountId } = callerOf(request)
  request.log.info({ administrator: { kind, id, name, accountId }, change }, 'administration')
}
