import { ClientError, codeOf, unavailable } from '../model/errors.ts'

/* Meanings of the database's errors, by SQLSTATE (PostgreSQL manual, appendix A). */

const hasCode = (code: string) => (error: unknown) => codeOf(error) === code

export const isUniqueViolation = hasCode('23505')
/** No partition takes the row; also any other violated check. */
export const isMissingPartition = (error: unknown) =>
  codeOf(error) === '23514' || workerMessageOf(error)?.startsWith('no partition of relation') === true
/** A parameter has a value that the function does not know, such as a time zone. */
export const isInvalidParameter = hasCode('22023')
export const isDiskFull = hasCode('53100')
export const isUndefinedTable = hasCode('42P01')
export const isUndefinedDatabase = hasCode('3D000')
/** Another transaction held a lock for longer than `lock_timeout`. */
export const isLockTimeout = hasCode('55P03')
export const isDeadlock = hasCode('40P01')
export const isRefusedLogin = (error: unknown) => /^28...$/.test(codeOf(error))
/** There is no such server, user or database, or the server is not up. */
export const isUnreachableDatabase = (error: unknown) => /^(E[A-Z_]+|08...|28...|3D000|57P..)$/.test(codeOf(error))

/** The message of a worker of Citus, which passes on errors during COPY as internal ones, without the code. */
function workerMessageOf(error: unknown): string | undefined {
  return codeOf(error) === 'XX000' && error instanceof Error ? error.message : undefined
}

/** A worker of Citus went away, or is coming back: what Citus passes on without a code then. In each of these cases it changed nothing. */
const WORKER_IS_AWAY =
  /^(?:terminating connection|the database system is|server closed the connection|failure on connection marked as essential|could not connect to any active placements|failed to prepare transaction|could not commit transaction for shard|cannot connect to \S+ to fetch intermediate results|failed to read result)/

const RETRY_AFTER_S = 2

const DISK_FULL = 'The disk of the database is full: nothing was stored.'

/** The same as the database would say, before it comes to that. */
export const diskFull = () => unavailable(DISK_FULL, RETRY_AFTER_S)

/** SQLSTATE classes and codes of transient errors: the database restarts, is full, is a standby, or is stopping. */
const PASSING_FAULTS: readonly (readonly [prefix: string, sentence: string])[] = [
  ['08', 'The database cannot be reached at the moment.'],
  ['57P', 'The database is restarting.'],
  ['58', 'The disk of the database reports an error.'],
  ['53100', DISK_FULL],
  ['53', 'The database has no resources left at the moment.'],
  ['55P03', 'The database is busy.'],
  ['40', 'The database is busy.'],
  ['25006', 'The database can only be read at the moment.'],
  ['57014', 'The query took too long. Ask for a smaller range.'],
]

const CONNECTION_ERRORS =
  /^(ECONNREFUSED|ECONNRESET|ECONNABORTED|EHOSTUNREACH|ENETUNREACH|ENOENT|EPIPE|ETIMEDOUT|EACCES|ENOTFOUND|EAI_AGAIN)$/

/** The error for the client: itself, a 503 when a retry can help, undefined for a bug. */
export function clientErrorOf(error: unknown): ClientError | undefined {
  if (error instanceof ClientError) return error
  if (!(error instanceof Error)) return undefined
  const code = codeOf(error)
  const passing = PASSING_FAULTS.find(([prefix]) => code.length === 5 && code.startsWith(prefix))
  if (passing) return unavailable(passing[1], RETRY_AFTER_S, error)
  if (WORKER_IS_AWAY.test(workerMessageOf(error) ?? ''))
    return unavailable('The database is restarting.', RETRY_AFTER_S, error)
  // The driver has no code for a connection that ended below it, that it could not get in time, or no longer gives.
  if (
    CONNECTION_ERRORS.test(code) ||
    /connection (terminated|timeout|ended)|timeout exceeded when trying to connect|after calling end on the pool|client (was closed|has encountered a connection error)|not queryable/i.test(
      error.message,
    )
  )
    return unavailable('The database cannot be reached at the moment.', RETRY_AFTER_S, error)
  return undefined
}
