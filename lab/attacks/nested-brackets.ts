import { gzipSync } from 'node:zlib'
import { Answers } from './answers.ts'
import type { Attack } from './attack.ts'
import { type Upload, uploadEvents } from './upload-events.ts'

const CLIENTS = { small: 2, full: 8 }
const BYTES = 16_000_000

/** Bodies that are cheap to send and expensive to parse. */
export const nestedBrackets: Attack = {
  name: 'nested-brackets',
  clause: 'what bodies unpack to',
  what: 'Over several connections one key sends gzip of millions of brackets, empty objects and commas, again and again.',
  async run(doors, size, signal) {
    const bodies: readonly Upload[] = [
      { gzip: gzipSync('['.repeat(BYTES)) },
      { gzip: gzipSync(`[${'{},'.repeat(BYTES / 4)}{}]`) },
      `[${'{},'.repeat(BYTES / 8)}{}]`,
      '['.repeat(BYTES / 16),
    ]
    const answers = new Answers()
    const client = async (first: number) => {
      for (let turn = first; !signal.aborted; turn++)
        answers.add(await uploadEvents(doors, bodies[turn % bodies.length] ?? '', signal), [400, 413, 429])
    }
    await Promise.all(Array.from({ length: CLIENTS[size] }, (_, index) => client(index)))
    return answers.text
  },
}
