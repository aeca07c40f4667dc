/** A reply that is not 2xx, with the message of the service. Status 0: there was no reply. */
export class ApiError extends Error {
  readonly status: number
  /** After how many seconds a repeat can succeed, where the service says so. */
  readonly retryAfterS: number | undefined

  constructor(status: number, message: string, retryAfterS?: number) {
    super(message)
    this.name = 'ApiError'
    this.status = status
    this.retryAfterS = retryAfterS
  }
}

/** @returns the error that the service sent, whatever the body is */
export async function apiErrorOf(response: Response): Promise<ApiError> {
  const retryAfterS = Number(response.headers.get('retry-after')) || undefined
  const body: unknown = await response.json().catch(() => undefined)
  const message =
    typeof body === 'object' && body !== null && 'errorMessage' in body
      ? String(body.errorMessage)
      : response.statusText
  return new ApiError(response.status, message || `Status ${response.status}`, retryAfterS)
}
