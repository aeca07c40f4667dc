import { Answers } from './answers.ts'
import type { Attack } from './attack.ts'
import { BEHIND_PROXY, logInAs, logInFromKnownPlace, networkOf } from './log-in-as.ts'

const NETWORKS = 230
/** Attempts that are under way at once. */
const CLIENTS = { small: 100, full: 690 }

/** So many attempts that no other password would be checked any more. */
export const loginsFromManyNetworks: Attack = {
  name: 'logins-from-many-networks',
  clause: 'crowds at the login',
  what: '230 networks try passwords of made-up users without a pause, while somebody logs in from a known place.',
  environment: BEHIND_PROXY,
  async run(doors, size, signal) {
    const answers = new Answers()
    let tried = 0
    const client = async () => {
      while (!signal.aborted) {
        const index = tried++
        const stranger = { email: `nobody${index}@example.com`, password: 'wrong' }
        // Once it has to end, it does not wait for answers any more.
        const reply = await logInAs(doors, stranger, networkOf(index % NETWORKS), signal).catch(() => undefined)
        if (reply) answers.count(reply.status)
      }
    }
    const crowd = Array.from({ length: CLIENTS[size] }, client)
    const waitsMs: number[] = []
    while (!signal.aborted) {
      const startedMs = performance.now()
      await logInFromKnownPlace(doors, size)
      waitsMs.push(Math.round(performance.now() - startedMs))
    }
    await Promise.all(crowd)
    return `the crowd was ${answers.text}; ${waitsMs.length} logins from a known place took ${Math.max(...waitsMs)} ms at most`
  },
}
