import type { DeviceId } from '../model/sample.ts'
import { insertOf } from './bulk-rows.ts'
import { type Connection, sql } from './sql.ts'
import type { Transaction } from './transaction.ts'
import { instantOfMs } from './values.ts'

/** Why a frame was rejected: what can be done about it depends on it. */
export type RejectionReason =
  | 'unreadable'
  /** Its device may not join. */
  | 'unknown device'
  /** An account registered its device that it was not handed out to. */
  | 'claimed device'
  /** Its device may not report from there. */
  | 'network'
  /** It could not be stored, by an error of ours. */
  | 'not stored'

export interface RejectedFrame {
  readonly gateway: string
  /** The device that the sender claimed to be; it may be unknown. */
  readonly deviceId: DeviceId | undefined
  readonly sender: string
  readonly why: string
  /** `unreadable` by default. */
  readonly reason?: RejectionReason
  /** Possibly truncated, see `MOST_BYTES`. */
  readonly bytes: Buffer
  readonly byteCount: number
}

export interface KeptFrame {
  readonly id: number
  readonly received: string
  readonly gateway: string
  readonly device_id: DeviceId | null
  readonly sender: string
  readonly why: string
  readonly byte_count: number
  readonly bytes: Buffer
}

/** Older ones are removed. */
export const MOST_FRAMES = 10_000
/** Longer frames are truncated: more than any frame of a dongle, less than a large MQTT message. */
export const MOST_BYTES = 4096
const MOST_CHARACTERS = 500

export async function writeRejectedFrames(transaction: Transaction, frames: readonly RejectedFrame[]): Promise<void> {
  const rows = frames.map(frame => ({
    gateway: frame.gateway,
    device_id: frame.deviceId ?? null,
    sender: printable(frame.sender),
    why: printable(frame.why),
    reason: frame.reason ?? 'unreadable',
    byte_count: frame.byteCount,
    bytes: frame.bytes.subarray(0, MOST_BYTES),
  }))
  await transaction.rows(insertOf('rejected_frames', rows))
  await transaction.rows(
    sql`delete from rejected_frames where id <= (select max(id) from rejected_frames) - ${MOST_FRAMES}::bigint`,
  )
}

export async function listRejectedFrames(connection: Connection, limit: number): Promise<KeptFrame[]> {
  return connection.rows<KeptFrame>(sql`
    select id, received, gateway, device_id, sender, why, byte_count, bytes
    from rejected_frames order by id desc limit ${limit}`)
}

export async function findRejectedFrame(connection: Connection, id: number): Promise<KeptFrame | undefined> {
  const [frame] = await connection.rows<KeptFrame>(sql`
    select id, received, gateway, device_id, sender, why, byte_count, bytes from rejected_frames where id = ${id}`)
  return frame
}

export async function dropRejectedFramesBefore(transaction: Transaction, beforeMs: number): Promise<number> {
  const rows = await transaction.rows(
    sql`delete from rejected_frames where received < ${instantOfMs(beforeMs)} returning id`,
  )
  return rows.length
}

export async function clearRejectedFrames(transaction: Transaction): Promise<number> {
  const rows = await transaction.rows(sql`delete from rejected_frames returning id`)
  return rows.length
}

/** Makes text from a sender safe for PostgreSQL, which stores no NUL, and for terminals, without escape sequences. */
function printable(text: string): string {
  return text.slice(0, MOST_CHARACTERS).replaceAll(/[\p{Cc}\p{Cf}\p{Cs}]/gu, '�')
}
