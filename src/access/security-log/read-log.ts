import type { Connection } from '../../db/database.ts'
import { allOf, type Statement, sql } from '../../db/sql.ts'
import type { Actor, Details, SecurityKind } from './line.ts'

/** A line as it was written. */
export interface WrittenLine {
  readonly id: number
  readonly time: string
  readonly kind: SecurityKind
  readonly callerKind: Actor['kind']
  readonly callerId: number | null
  readonly callerName: string
  readonly address: string | null
  readonly details: Details
}

interface SecurityLogFilter {
  readonly accountId: number
  readonly fromTimestamp?: string | undefined
  readonly toTimestamp?: string | undefined
  readonly kinds?: readonly SecurityKind[] | undefined
  /** E-mail address of a user or name of a key, in any letter case. */
  readonly caller?: string | undefined
  /** Only lines before this one. */
  readonly before?: { readonly time: string; readonly id: number } | undefined
}

/** Lines of an account, the newest first. */
export function readSecurityLog(
  connection: Connection,
  { accountId, fromTimestamp, toTimestamp, kinds, caller, before }: SecurityLogFilter,
  limit: number,
): Promise<WrittenLine[]> {
  const conditions: Statement[] = [sql`account_id = ${accountId}`]
  if (fromTimestamp !== undefined) conditions.push(sql`time >= ${fromTimestamp}::timestamptz`)
  if (toTimestamp !== undefined) conditions.push(sql`time <= ${toTimestamp}::timestamptz`)
  if (kinds !== undefined) conditions.push(sql`kind = any(${kinds})`)
  if (caller !== undefined) conditions.push(sql`lower(caller_name) = lower(${caller})`)
  if (before) conditions.push(sql`(time, id) < (${before.time}::timestamptz, ${before.id}::bigint)`)
  return connection.rows<WrittenLine>(sql`
    select id, time, kind, caller_kind as "callerKind", caller_id as "callerId", caller_name as "callerName", address, details
    from security_log where ${allOf(conditions)} order by time desc, id desc limit ${limit}`)
}
