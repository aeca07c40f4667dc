import { setTimeout as sleep } from 'node:timers/promises'
import { eventually } from './eventually.ts'
import type { Reply } from './http-client.ts'
import { ingestClient } from './ingest-client.ts'

const FIRST_DEVICE = 350_000_000_000_000
const DEVICES = 7
const FIRST_MS = Date.UTC(2025, 0, 1)
const MOST_EVENTS = 60
/** Of a sender, between two requests: short while somebody waits for more and for a moment afterwards, in which something is killed. */
const SHORT_PAUSE_MS = 15
/** What was killed needs the processor to start again. */
const LONG_PAUSE_MS = 250
const HURRY_MS = 200
/** After a request that was not acknowledged. */
const RETRY_PAUSE_MS = 50

/** What becomes of requests while parts of the service die. */
export interface Remembered {
  /** Numbers of the events that were acknowledged. */
  readonly acknowledged: ReadonlySet<number>
  /** Batches of numbers that were sent and not sent again after they got no acknowledgement. */
  readonly abandoned: readonly (readonly number[])[]
  /** Answers that no client should get. */
  readonly violations: readonly string[]
  /** Why requests were answered 503. */
  readonly reasons: ReadonlySet<string>
  /** How many requests were answered 503, and how many not at all. */
  readonly refused: number
  readonly unanswered: number
}

interface RememberingSenders extends Remembered {
  /** Lets them send as often as they can, and for a moment after `isEnough` settled. */
  hurryUntil(isEnough: Promise<unknown>): Promise<void>
  /** Lets what is in flight come to its end. */
  stop(): Promise<void>
}

/**
 * Event number n, with the value n. Two numbers share an instant of a device and mostly not a request; instants come in
 * no order and lie in two weeks.
 */
export function numberedEvent(number: number) {
  const instant = Math.floor(number / 2)
  return {
    deviceId: FIRST_DEVICE + (instant % DEVICES),
    recordedTimestamp: new Date(FIRST_MS + ((instant * 7919) % 1_000_003) * 1000).toISOString(),
    eventType: number % 2 === 0 ? 'MILEAGE' : 'GPS_SPEED',
    value: number,
  }
}

/** Senders that upload numbered events at once, each one request after the other, and remember what was acknowledged. */
export function startSenders(url: string, key: string, count: number): RememberingSenders {
  const acknowledged = new Set<number>()
  const abandoned: (readonly number[])[] = []
  const violations: string[] = []
  const reasons = new Set<string>()
  const stopping = new AbortController()
  const client = ingestClient(url, key)
  let refused = 0
  let unanswered = 0
  let next = 0
  let waiting = 0
  let hurryUntilMs = 0
  const pauseMs = () => (waiting > 0 || performance.now() < hurryUntilMs ? SHORT_PAUSE_MS : LONG_PAUSE_MS)

  /** Sends a batch once. @returns whether it was acknowledged. */
  async function isAcknowledged(numbers: readonly number[]): Promise<boolean> {
    let reply: Reply
    try {
      reply = await client.send(numbers.map(numberedEvent))
    } catch {
      unanswered++
      return false
    }
    const { text } = reply
    if (reply.status === 200) {
      const { accepted, duplicates } = JSON.parse(text) as { accepted: number; duplicates: number }
      if (accepted + duplicates !== numbers.length) violations.push(`200 ${text} for ${numbers.length} events`)
      return true
    }
    refused++
    const reason = /^\{"errorMessage":"(.+?)(?: Request id: [^"]+)?"\}$/.exec(text)?.[1]
    if (reply.status === 503 && reply.headers.get('retry-after') && reason) reasons.add(reason)
    else violations.push(`${reply.status} ${text}`)
    return false
  }

  async function send(shard: number): Promise<void> {
    for (let round = shard; !stopping.signal.aborted; round++) {
      // Every other one from where another sender takes the rest.
      const size = 1 + ((round * 13) % MOST_EVENTS)
      const numbers = Array.from({ length: size }, (_, index) => next + index)
      next += size
      // Some give up, like a dongle that is unplugged.
      for (let attempts = round % 5 === 0 ? 1 : Number.POSITIVE_INFINITY; ; attempts--) {
        if (await isAcknowledged(numbers)) {
          for (const number of numbers) acknowledged.add(number)
          await sleep(pauseMs())
          break
        }
        if (attempts <= 1 || stopping.signal.aborted) {
          abandoned.push(numbers)
          break
        }
        await sleep(RETRY_PAUSE_MS)
      }
    }
  }

  const sending = Promise.all(Array.from({ length: count }, (_, shard) => send(shard)))
  return {
    acknowledged,
    abandoned,
    violations,
    reasons,
    get refused() {
      return refused
    },
    get unanswered() {
      return unanswered
    },
    async hurryUntil(isEnough) {
      waiting++
      try {
        await isEnough
      } finally {
        waiting--
        hurryUntilMs = performance.now() + HURRY_MS
      }
    },
    async stop() {
      stopping.abort()
      await sending
    },
  }
}

/** Waits until considerably more is acknowledged. */
export async function untilMoreIsAcknowledged(senders: RememberingSenders): Promise<void> {
  const { acknowledged } = senders
  const before = acknowledged.size
  const more = eventually(async () => {
    if (acknowledged.size < before + 200) throw new Error('nothing more is acknowledged')
  })
  await senders.hurryUntil(more)
}
