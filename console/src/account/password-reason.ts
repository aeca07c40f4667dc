import { ApiError } from '../api/api-error.ts'
import type { Texts } from '../language/language.ts'

/** Why the password was not changed, in the person's language; undefined where only the service knows. */
export function passwordReason(error: Error, texts: Texts<'account'>): string | undefined {
  if (!(error instanceof ApiError)) return undefined
  if (error.status === 429) return texts.tooMany(error.retryAfterS ?? 60)
  if (error.status !== 400) return undefined
  if (error.message.startsWith('currentPassword')) return texts.wrong
  if (/12 characters/.test(error.message)) return texts.tooShort
  if (/too easy/.test(error.message)) return texts.tooEasy
  return /e-mail/.test(error.message) ? texts.hasEmail : undefined
}
