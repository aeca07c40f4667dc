import { defineTexts } from '../language/language.ts'

export const stateTexts = defineTexts('pageState', {
  loading: 'Loading …',
  tryAgain: 'Try again',
  unreachable: 'The service cannot be reached.',
  unreachableHint: 'It may be starting, or the network is down. This page continues by itself as soon as it answers.',
  loggedOut: 'You are not logged in any more.',
  tooMany: 'Too many requests. Try again in a minute.',
  forbidden: 'You have no permission for this.',
  forbiddenHint: 'Somebody who administers this account can give it to you.',
  notFound: 'This was not found.',
  notFoundHint: 'It may have been removed, or the address is wrong.',
  failed: 'That did not work.',
})
