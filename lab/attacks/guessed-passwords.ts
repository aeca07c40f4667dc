import type { Attack } from './attack.ts'
import { BEHIND_PROXY, logInAs, logInFromKnownPlace, networkOf } from './log-in-as.ts'

const CLIENTS = { small: 4, full: 16 }
const MOST_AN_HOUR = 100

/** Each guess from another network, so that none of them is slowed down for its own failures. */
export const guessedPasswords: Attack = {
  name: 'guessed-passwords',
  clause: 'guesses at a user',
  what: "A user's password is guessed from ever new networks; then the owner logs in from a known place.",
  environment: BEHIND_PROXY,
  async run(doors, size, signal) {
    let [asked, tried] = [0, 0]
    const client = async () => {
      while (!signal.aborted) {
        const guess = { email: doors.attacker.email, password: `guess ${asked}` }
        const { status } = await logInAs(doors, guess, networkOf(asked++))
        if (status === 400) tried++
        else if (status !== 429 && status !== 503) throw new Error(`a guess was answered ${status}`)
      }
    }
    await Promise.all(Array.from({ length: CLIENTS[size] }, client))
    if (tried > MOST_AN_HOUR) throw new Error(`${tried} guesses were tried`)
    await logInFromKnownPlace(doors, size)
    return `of ${asked} guesses ${tried} were tried; the owner got in`
  },
}
