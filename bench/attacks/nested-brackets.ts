import { gzipSync } from 'node:zlib'
import type { Attack } from './attack.ts'

const LANES = { small: 2, full: 8 }
const BYTES = 16_000_000

/** Bodies that cost their sender nothing, and a parser very much. */
export const nestedBrackets: Attack = {
  name: 'nested-brackets',
  clause: 'what bodies unpack to',
  what: 'Over several connections one key sends gzip of millions of brackets, empty objects and commas, again and again.',
  async run({ api, attacker }, size, signal) {
    const bodies = [
      { headers: { 'content-encoding': 'gzip' }, body: gzipSync('['.repeat(BYTES)) },
      { headers: { 'content-encoding': 'gzip' }, body: gzipSync(`[${'{},'.repeat(BYTES / 4)}{}]`) },
      { headers: {}, body: `[${'{},'.repeat(BYTES / 8)}{}]` },
      { headers: {}, body: '['.repeat(BYTES / 16) },
    ]
    const counts = new Map<number, number>()
    const lane = async (first: number) => {
      for (let turn = first; !signal.aborted; turn++) {
        const { headers, body } = bodies[turn % bodies.length] ?? { headers: {}, body: '' }
        const request = { path: '/ingest/events', method: 'POST', token: attacker.key, body }
        const { status } = await api.send({ ...request, headers: { 'content-type': 'application/json', ...headers } })
        counts.set(status, (counts.get(status) ?? 0) + 1)
        if (status !== 400 && status !== 413 && status !== 429) throw new Error(`answered ${status}`)
      }
    }
    await Promise.all(Array.from({ length: LANES[size] }, (_, index) => lane(index)))
    return `answered ${[...counts].map(([status, count]) => `${status} ${count} times`).join(', ')}`
  },
}
