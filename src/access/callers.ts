import { isPermission, type Permission } from '../catalogue/permissions.ts'
import { type Connection, sql } from '../db/sql.ts'
import { type Clock, SYSTEM_CLOCK } from '../lib/clock.ts'
import { hasMakerWithRights, isValidKey } from './keys.ts'
import { secretHash } from './passwords.ts'
import type { Actor } from './security-log.ts'

/** The user or key behind a request with a valid token. */
export interface Caller {
  readonly accountId: number
  readonly kind: 'user' | 'key'
  readonly id: number
  readonly name: string
  readonly permissions: ReadonlySet<Permission>
  /** When the token expires; null for a key that does not. */
  readonly expires: string | null
  /** Requests of one user or key are counted together under this name. */
  readonly rateLimitKey: string
}

export const actorOf = ({ accountId, kind, id, name }: Caller): Actor => ({ accountId, kind, id, name })

export interface CallerLookup {
  /** @returns the owner of the token; undefined when it is unknown, expired or revoked. */
  readonly find: (token: string) => Promise<Caller | undefined>
}

/** Half of the second within which a revocation must take effect (decisions.md, *Tokens*). */
const LIFETIME_MS = 500
const MOST_ENTRIES = 10_000

interface Entry {
  readonly askedMs: number
  readonly caller: Promise<Caller | undefined>
}

interface CallerLookupOptions {
  readonly clock?: Clock
  readonly mostEntries?: number
}

/** Caches each result, also a negative one, for half a second from when its query was sent; lookups share the query. */
export function createCallerLookup(
  database: Connection,
  { clock = SYSTEM_CLOCK, mostEntries = MOST_ENTRIES }: CallerLookupOptions = {},
): CallerLookup {
  // In the order of their queries, so the oldest come first.
  const entries = new Map<string, Entry>()

  function makeRoom(nowMs: number): void {
    for (const [key, { askedMs }] of entries) {
      if (entries.size < mostEntries && nowMs - askedMs < LIFETIME_MS) return
      entries.delete(key)
    }
  }

  return {
    async find(token) {
      if (!TOKEN_FORM.test(token)) return undefined
      const hash = secretHash(token)
      const key = hash.toString('latin1')
      const nowMs = clock.monotonicMs()
      const known = entries.get(key)
      if (known && nowMs - known.askedMs < LIFETIME_MS) return known.caller
      entries.delete(key)
      makeRoom(nowMs)
      const entry = { askedMs: nowMs, caller: readCaller(database, hash) }
      entries.set(key, entry)
      entry.caller.catch(() => {
        // A database error says nothing about the token.
        if (entries.get(key) === entry) entries.delete(key)
      })
      return entry.caller
    },
  }
}

/** Anything else was not issued here and needs no query. */
const TOKEN_FORM = /^(tacho_)?[\w-]{43}$/

interface CallerRow {
  readonly kind: 'user' | 'key'
  readonly id: number
  readonly accountId: number
  readonly name: string
  readonly permissions: readonly string[]
  readonly expires: string | null
}

async function readCaller(database: Connection, hash: Buffer): Promise<Caller | undefined> {
  const [row] = await database.rows<CallerRow>(
    sql`
      select 'key' as kind, id, account_id as "accountId", name, permissions, expires
      from api_keys
      where hash = ${hash} and ${isValidKey(sql`api_keys`)} and ${hasMakerWithRights()}
      union all
      select 'user', users.id, users.account_id, users.email, users.permissions, tokens.expires
      from tokens join users on users.id = tokens.user_id
      where tokens.hash = ${hash} and tokens.kind = 'access' and tokens.expires > clock_timestamp()
        and users.revoked is null`,
    { prepareAs: 'find-caller' },
  )
  if (!row) return undefined
  return { ...row, permissions: new Set(row.permissions.filter(isPermission)), rateLimitKey: `${row.kind}:${row.id}` }
}
