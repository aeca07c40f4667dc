import { ApiError } from '../api/api-error.ts'
import type { Texts } from '../language/language.ts'

type ReasonTexts = Pick<Texts<'pageState'>, 'unreachable' | 'loggedOut' | 'forbidden' | 'tooMany'>

/** Why something did not work, for people; reasons that only the service knows are in its own words, which are English. */
export function reasonOf(error: Error, texts: ReasonTexts): string {
  if (!(error instanceof ApiError)) return error.message
  switch (error.status) {
    case 0:
    case 503:
      return texts.unreachable
    case 401:
      return texts.loggedOut
    case 403:
      return texts.forbidden
    case 429:
      return texts.tooMany
    default:
      return error.message
  }
}
