import type { Clock } from '../lib/clock.ts'
import { type Connection, sql } from './sql.ts'

/** In milliseconds since 1970. It can be set back; revisions cannot, so they do not show the time. */
export const CLOCK_MS = sql`(extract(epoch from clock_timestamp())::float8 * 1000)`

export async function readClockMs(connection: Connection): Promise<number> {
  const [row] = await connection.rows<{ now_ms: number }>(sql`select ${CLOCK_MS} as now_ms`, { prepareAs: 'clock' })
  if (!row) throw new Error('the database did not tell the time')
  return row.now_ms
}

/** The time by the clock of this process or of the database, whichever is earlier: nothing is dropped because one is ahead. */
export async function earlierClockMs(connection: Connection, clock: Clock): Promise<number> {
  return Math.min(clock.wallMs(), await readClockMs(connection))
}

/** By how much the clock of this machine is ahead of the database's; half of the time that asking takes is uncertain. */
export async function readClockDifferenceS(connection: Connection, clock: Clock): Promise<number> {
  const beforeMs = clock.wallMs()
  const databaseMs = await readClockMs(connection)
  return ((beforeMs + clock.wallMs()) / 2 - databaseMs) / 1000
}
