import { defineTexts } from '../language/language.ts'

export const loginTexts = defineTexts('login', {
  title: 'Log in to your fleet',
  email: 'E-mail',
  password: 'Password',
  logIn: 'Log in',
  wrong: 'E-mail or password is wrong.',
  tooMany: (seconds: number) => `Too many attempts. Try again in ${seconds} s.`,
  unreachable: 'The service cannot be reached. Is it running?',
  noLogin: 'The login was printed when Tacho started. A new one is made with:',
})
