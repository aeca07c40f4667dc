import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:net'

/** Below those that a system gives to whoever connects, or one of them has it when a service starts again. */
const [FROM, TO] = [20_000, 32_000]
/** At least as many as there are workers, each of which has a share of its own: two would find the same port free before one of them listens. */
const SHARES = 8

/** By this process: where nobody listens at the moment, a service may be about to start, or to start again. */
const given = new Set<number>()

/** A port on which nobody listens, and which no other test of this run has or had. */
export async function freePort(): Promise<number> {
  const { VITEST_POOL_ID: worker } = process.env
  const share = worker === undefined ? randomInt(SHARES) : Number(worker) % SHARES
  for (;;) {
    const port = randomInt(FROM / SHARES, TO / SHARES) * SHARES + share
    if (given.has(port)) continue
    given.add(port)
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
