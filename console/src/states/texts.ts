import { defineTexts } from '../language/language.ts'

export const stateTexts = defineTexts(
  {
    loading: 'Loading …',
    tryAgain: 'Try again',
    unreachable: 'The service can not be reached.',
    unreachableHint: 'It may be starting, or the network is away. What you see is from before; it goes on by itself.',
    loggedOut: 'You are not logged in any more.',
    tooMany: 'That was asked too often. Try again in a minute.',
    forbidden: 'You have no permission for this.',
    forbiddenHint: 'Somebody who administers this account can give it to you.',
    notFound: 'This is not there.',
    notFoundHint: 'It may have been removed, or the address is wrong.',
    failed: 'That did not work.',
  },
  {
    loading: 'Wird geladen …',
    tryAgain: 'Noch einmal versuchen',
    unreachable: 'Der Dienst ist nicht erreichbar.',
    unreachableHint:
      'Er startet vielleicht gerade, oder das Netz ist weg. Zu sehen ist der Stand von vorher; es geht von selbst weiter.',
    loggedOut: 'Sie sind nicht mehr angemeldet.',
    tooMany: 'Das waren zu viele Anfragen. In einer Minute geht es wieder.',
    forbidden: 'Sie haben keine Berechtigung dafür.',
    forbiddenHint: 'Wer dieses Konto verwaltet, kann sie Ihnen geben.',
    notFound: 'Das gibt es hier nicht.',
    notFoundHint: 'Vielleicht wurde es entfernt, oder die Adresse stimmt nicht.',
    failed: 'Das hat nicht geklappt.',
  },
)
