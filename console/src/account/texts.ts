import { defineTexts } from '../language/language.ts'

export const accountTexts = defineTexts(
  {
    title: 'Your account',
    passwordTitle: 'Change your password',
    passwordHint:
      'At least 12 characters, and not a common password: three or four words that do not belong together are good. You stay logged in here; everywhere else you have to log in again. Your API keys stay.',
    currentPassword: 'Current password',
    newPassword: 'New password',
    repeated: 'New password once more',
    different: 'These are two different passwords.',
    change: 'Change the password',
    changed: 'The password is changed. Other logins have ended.',
    wrong: 'The current password is wrong.',
    tooShort: 'The new password needs at least 12 characters.',
    tooEasy: 'The new password is too easy to guess. Choose something less common.',
    hasEmail: 'The new password must not contain your e-mail address.',
    tooMany: (seconds: number) => `Too many attempts. Try again in ${seconds} s.`,
  },
  {
    title: 'Ihr Zugang',
    passwordTitle: 'Passwort ändern',
    passwordHint:
      'Mindestens 12 Zeichen und kein häufiges Passwort: Gut sind drei oder vier Wörter, die nichts miteinander zu tun haben. Hier bleiben Sie angemeldet; überall sonst melden Sie sich neu an. Ihre API-Schlüssel bleiben gültig.',
    currentPassword: 'Jetziges Passwort',
    newPassword: 'Neues Passwort',
    repeated: 'Neues Passwort noch einmal',
    different: 'Das sind zwei verschiedene Passwörter.',
    change: 'Passwort ändern',
    changed: 'Das Passwort ist geändert. Andere Anmeldungen sind beendet.',
    wrong: 'Das jetzige Passwort stimmt nicht.',
    tooShort: 'Das neue Passwort braucht mindestens 12 Zeichen.',
    tooEasy: 'Das neue Passwort ist zu leicht zu erraten. Wählen Sie ein weniger übliches.',
    hasEmail: 'Das neue Passwort darf Ihre E-Mail-Adresse nicht enthalten.',
    tooMany: seconds => `Zu viele Versuche. In ${seconds} s geht es wieder.`,
  },
)
export type AccountTexts = (typeof accountTexts)['en']
