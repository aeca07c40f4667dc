/** A reply that is not 2xx; the message is the service's own, in plain words. Status 0: nobody answered. */
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
