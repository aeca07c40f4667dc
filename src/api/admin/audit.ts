import type { FastifyRequest } from 'fastify'
import { actorOf } from '../../access/callers.ts'
import { type SecurityKind, writeLines } from '../../access/security-log.ts'
import type { Transaction } from '../../db/transaction.ts'
import { callerOf } from '../../server/http/access.ts'

/** What an administrator did, for the log. Never holds a password or a key. */
type AdministrativeChange =
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
  | { readonly action: 'device added' | 'device refused' | 'device deleted'; readonly deviceId: number }
  | {
      readonly action: 'device moved'
      readonly deviceId: number
      readonly vehicleId: string
      readonly fromTimestamp: string
    }

/** Writes a line to the account's security log, in the transaction of the change: who changed what. */
export async function recordChange(
  transaction: Transaction,
  request: FastifyRequest,
  { action, ...about }: AdministrativeChange,
): Promise<void> {
  const details = Object.fromEntries(
    Object.entries(about).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  )
  await writeLines(transaction, [
    { kind: KINDS[action], actor: actorOf(callerOf(request)), address: request.ip, details },
  ])
}

const KINDS: Readonly<Record<AdministrativeChange['action'], SecurityKind>> = {
  'user created': 'user-created',
  'user changed': 'user-changed',
  'user removed': 'user-removed',
  'key created': 'key-created',
  'key revoked': 'key-revoked',
  'key taken over': 'key-taken-over',
  'device added': 'device-added',
  'device moved': 'device-moved',
  'device deleted': 'device-deleted',
  'device refused': 'device-refused',
}

/** Writes the same line to the process log. Call it after the commit. */
export function audit(request: FastifyRequest, change: AdministrativeChange): void {
  const { kind, id, name, accountId } = callerOf(request)
  request.log.info({ administrator: { kind, id, name, accountId }, change }, 'administration')
}
