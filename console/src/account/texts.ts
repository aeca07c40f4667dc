import { defineTexts } from '../language/language.ts'

export const accountTexts = defineTexts('account', {
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
})
export type AccountTexts = (typeof accountTexts)['en']
