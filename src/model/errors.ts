/** An error that a client caused or may see: its message is sent as `errorMessage`. Every other error becomes a 500
 * with a request id and no details. */
export class ClientError extends Error {
  override readonly name = 'ClientError'
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  /** Fields beside `errorMessage`; only the token endpoint has them (RFC 6749, 5.2). */
  readonly extra: Readonly<Record<string, string>>

  constructor(
    status: number,
    message: string,
    options: { headers?: Record<string, string>; extra?: Record<string, string>; cause?: unknown } = {},
  ) {
    super(message, { cause: options.cause })
    this.status = status
    this.headers = options.headers ?? {}
    this.extra = options.extra ?? {}
  }
}

export const badRequest = (message: string) => new ClientError(400, message)
export const notFound = (what: string) => new ClientError(404, `${what} was not found.`)
export const forbidden = (permission: string) =>
  new ClientError(403, `This key or user has no permission to use this type of data (${permission}).`)

/** The service cannot do it now, but a retry will succeed: the database is restarting, a queue is full, the disk is full. */
export const unavailable = (message: string, retryAfterS: number, cause?: unknown) =>
  new ClientError(503, message, { headers: { 'retry-after': String(retryAfterS) }, cause })

/** So much of this account is waiting already that it must retry later. */
export const tooManyWaiting = (of: string) =>
  new ClientError(429, `Too many ${of} of this account wait already.`, { headers: { 'retry-after': '2' } })

/** The code of an error: the system's (`ENOENT`) or the database's (SQLSTATE); empty where it has none. */
export function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : ''
}

/** The code of an error, or its text where it has none. */
export function codeOrTextOf(error: unknown): string {
  return codeOf(error) || (error instanceof Error ? error.message : String(error))
}

/** A sentence for the operator about what stops the start; printed without a stack trace, exit code 1. */
export class OperatorError extends Error {
  override readonly name = 'OperatorError'
}
