import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:net'

/** Below those that a system gives to whoever connects, or one of them has it when a service starts again. */
const [FROM, TO] = [20_000, 32_000]

/** A port that is free at the moment. @param wanted is looked at first */
export async function freePort(wanted = randomInt(FROM, TO)): Promise<number> {
  for (let port = wanted; ; port = randomInt(FROM, TO)) {
    const server = createServer().listen(port, '127.0.0.1')
    const isFree = await once(server, 'listening').then(
      () => true,
      () => false,
    )
    if (!isFree) continue
    server.close()
    await once(server, 'close')
    return port
  }
}

/** The same for a process that listens again and again: no other that begins at this moment has it, as their numbers differ. */
export function portOfProcess(): Promise<number> {
  return freePort(FROM + (process.pid % (TO - FROM)))
}
