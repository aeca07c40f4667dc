import { setTimeout as sleep } from 'node:timers/promises'
import type { Attack } from './attack.ts'

const LANES = { small: 4, full: 8 }
/** Far less than was asked for. */
const PAUSE_MS = 50

/** Many times the requests that a key may send. */
export const requestsBeyondLimit: Attack = {
  name: 'requests-beyond-limit',
  clause: 'limit of requests',
  what: 'One key asks for its vehicles over many connections, and goes on when it is told to wait.',
  async run({ api, attacker }, size, signal) {
    const counts = new Map<number, number>()
    const lane = async () => {
      while (!signal.aborted) {
        const { status } = await api.send({ path: '/cc/v2.0/vehicles', token: attacker.key })
        counts.set(status, (counts.get(status) ?? 0) + 1)
        if (status === 429) await sleep(PAUSE_MS)
        else if (status !== 200) throw new Error(`answered ${status}`)
      }
    }
    await Promise.all(Array.from({ length: LANES[size] }, lane))
    return `answered ${[...counts].map(([status, count]) => `${status} ${count} times`).join(', ')}`
  },
}
