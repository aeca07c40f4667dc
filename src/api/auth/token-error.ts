import { ClientError } from '../../model/errors.ts'

/** RFC 6749, 5.2, and `temporarily_unavailable` from 4.1.2.1 for transient errors. */
type TokenErrorCode =
  | 'invalid_request'
  | 'invalid_client'
  | 'invalid_grant'
  | 'unsupported_grant_type'
  | 'temporarily_unavailable'

/** An error of the token endpoint: `errorMessage` as everywhere, plus the fields that OAuth clients expect. */
export function tokenError(
  status: number,
  code: TokenErrorCode,
  message: string,
  { headers = {}, cause }: { headers?: Readonly<Record<string, string>>; cause?: unknown } = {},
): ClientError {
  return new ClientError(status, message, {
    headers: { ...headers },
    extra: { error: code, error_description: message },
    cause,
  })
}

export const invalidRequest = (message: string) => tokenError(400, 'invalid_request', message)
