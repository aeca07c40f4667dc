import { createHash } from 'node:crypto'

/** The kinds of lines in the security log. */
export const SECURITY_KINDS = [
  'login',
  'login-failed',
  'logins-slowed',
  'logout',
  'refresh-token-reused',
  'password-changed',
  'user-created',
  'user-changed',
  'user-removed',
  'key-created',
  'key-revoked',
  'key-taken-over',
  'device-added',
  'device-moved',
  'device-deleted',
  'device-refused',
  'positions-read',
  'data-exported',
  'lines-lost',
] as const
export type SecurityKind = (typeof SECURITY_KINDS)[number]

/** Who did it; for a failed login, the user it was for. */
export interface Actor {
  readonly accountId: number
  readonly kind: 'user' | 'key' | 'service'
  readonly id: number | null
  /** E-mail address of the user, or name of the key. */
  readonly name: string
}

/** Details: short values by name, never a secret. */
export type Details = Readonly<Record<string, string | number | boolean | readonly string[]>>

/** A line of the security log, before it is written. */
export interface SecurityLine {
  readonly kind: SecurityKind
  readonly actor: Actor
  /** The address of the client; null where there is none. */
  readonly address: string | null
  readonly details?: Details
  /** When it happened, by the clock of this process; by default now, by the database's clock. */
  readonly timeMs?: number
  /** A key for lines that are written only once by all nodes together: see `onceAnHour`. */
  readonly once?: Buffer
}

const HOUR_MS = 3_600_000

/** The same key for one caller, kind and object within a clock hour. */
export function onceAnHour({ accountId, kind, id }: Actor, what: SecurityKind, object: string, timeMs: number): Buffer {
  const hour = Math.floor(timeMs / HOUR_MS)
  return createHash('sha256')
    .update(JSON.stringify([accountId, kind, id, what, object, hour]))
    .digest()
}
