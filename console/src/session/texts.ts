import { defineTexts } from '../language/language.ts'

export const loginTexts = defineTexts(
  {
    title: 'Log in to your fleet',
    email: 'E-mail',
    password: 'Password',
    logIn: 'Log in',
    wrong: 'E-mail or password is wrong.',
    tooMany: (seconds: number) => `Too many attempts. Try again in ${seconds} s.`,
    unreachable: 'The service can not be reached. Is it running?',
    noLogin: 'The login was printed when Tacho started. A new one is made with:',
  },
  {
    title: 'Anmelden bei Ihrer Flotte',
    email: 'E-Mail',
    password: 'Passwort',
    logIn: 'Anmelden',
    wrong: 'E-Mail oder Passwort stimmt nicht.',
    tooMany: seconds => `Zu viele Versuche. In ${seconds} s geht es wieder.`,
    unreachable: 'Der Dienst ist nicht erreichbar. Läuft er?',
    noLogin: 'Der Zugang wurde beim Start von Tacho ausgegeben. Einen neuen macht:',
  },
)
