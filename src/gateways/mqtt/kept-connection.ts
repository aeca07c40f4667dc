import { Backoff, type Clock, pause } from '../../lib/clock.ts'
import { connectionSentence } from './refusal.ts'
import { type Ending, type ProtocolVersion, runSession, type SessionOptions } from './session.ts'

const FIRST_PAUSE_MS = 500
const LONGEST_PAUSE_MS = 30_000
/** A connection that lasted this long was healthy. */
const GOOD_LIFE_MS = 30_000

interface KeptConnectionOptions extends SessionOptions {
  readonly onEnded: () => void
  /** Logs why there is no connection. */
  readonly complain: (why: string) => void
  readonly clock: Clock
}

/**
 * Keeps a connection to the broker until it is stopped: reconnects after growing pauses, each time with MQTT 5 first and
 * with 3.1.1 when the broker refuses that version.
 */
export async function keepConnection(options: KeptConnectionOptions, stop: AbortSignal): Promise<void> {
  const { clock } = options
  let version: ProtocolVersion = 5
  const backoff = new Backoff(FIRST_PAUSE_MS, LONGEST_PAUSE_MS)
  while (!stop.aborted) {
    const bornMs = clock.monotonicMs()
    const ending = await runSession(options, version, stop).catch(
      (error: unknown): Ending => ({ kind: 'failed', why: connectionSentence(error) }),
    )
    options.onEnded()
    if (ending.kind === 'version' && version === 5) {
      version = 4
      continue
    }
    version = 5
    if (stop.aborted) return
    options.complain(ending.kind === 'failed' ? ending.why : 'the broker speaks neither MQTT 5 nor 3.1.1')
    if (clock.monotonicMs() - bornMs > GOOD_LIFE_MS) backoff.reset()
    // Jitter, so that the connections of all nodes do not reconnect at the same moment.
    await pause(backoff.next() * (0.5 + Math.random() / 2), stop, clock)
  }
}
