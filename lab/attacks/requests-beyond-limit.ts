import { setTimeout as sleep } from 'node:timers/promises'
import { Answers } from './answers.ts'
import type { Attack } from './attack.ts'

const CLIENTS = { small: 4, full: 8 }
/** Far less than was asked for. */
const PAUSE_MS = 50

/** Many times the requests that a key may send. */
export const requestsBeyondLimit: Attack = {
  name: 'requests-beyond-limit',
  clause: 'limit of requests',
  what: 'One key asks for its vehicles over many connections, and goes on when it is told to wait.',
  async run({ api, attacker }, size, signal) {
    const answers = new Answers()
    const client = async () => {
      while (!signal.aborted) {
        const reply = await api.send({ path: '/cc/v2.0/vehicles', token: attacker.key })
        answers.add(reply, [200, 429])
        if (reply.status === 429) await sleep(PAUSE_MS)
      }
    }
    await Promise.all(Array.from({ length: CLIENTS[size] }, client))
    return answers.text
  },
}
