import { type Clock, SYSTEM_CLOCK } from '../lib/clock.ts'
import { TurnQueue } from '../lib/turns.ts'
import { unavailable } from '../model/errors.ts'
import { hashPassword } from './passwords.ts'

interface GateOptions {
  readonly atOnce: number
  /** How much of it for unknown callers; all of it unless given. */
  readonly othersAtOnce?: number
  /** How many may wait for their turn, separately for known and for unknown callers. */
  readonly waiting: number
  /** How many of them under one name; by default as many as may wait. */
  readonly waitingEach?: number
  readonly longestWaitMs: number
  readonly clock?: Clock
}

interface Waiting {
  readonly name: string
  /** Known callers have a queue of their own, so that unknown ones can only delay each other. */
  readonly isKnown: boolean
}

/** Runs work when it is its turn. @throws ClientError 503 when too many wait already, or the turn came too late. */
type Gate = <T>(work: () => Promise<T>, who?: Waiting) => Promise<T>

/** While both wait, one of this many turns is for unknown callers. */
const TURN_OF_OTHERS = 4
const ANYBODY: Waiting = { name: '', isKnown: false }

interface Place {
  readonly sinceMs: number
  readonly enter: () => void
  readonly refuse: () => void
}

/** Keeps expensive work from using the whole machine. Before a login, callers can take any number of names, so a fair
 * share by name does not help: unknown callers together get one turn in four, and at most `othersAtOnce` places. */
export function createGate({
  atOnce,
  othersAtOnce = atOnce,
  waiting,
  waitingEach = waiting,
  longestWaitMs,
  clock = SYSTEM_CLOCK,
}: GateOptions): Gate {
  const running = { known: 0, others: 0 }
  let turns = 0
  const known = new TurnQueue<string, Place>(waiting, waitingEach)
  const others = new TurnQueue<string, Place>(waiting, waitingEach)

  const isFull = () => running.known + running.others >= atOnce
  const mayOthers = () => running.others < othersAtOnce

  function enter({ name, isKnown }: Waiting): Promise<void> {
    if (!isFull() && (isKnown || mayOthers())) {
      running[isKnown ? 'known' : 'others']++
      return Promise.resolve()
    }
    return new Promise((resolve, reject) => {
      const place = {
        sinceMs: clock.monotonicMs(),
        enter: resolve,
        refuse: () => reject(unavailable('Too many logins at once.', 1)),
      }
      const left = (isKnown ? known : others).add(name, place)
      left?.refuse()
    })
  }

  function turnOf(): 'known' | 'others' | undefined {
    const othersWait = others.size > 0 && mayOthers()
    if (known.size === 0) return othersWait ? 'others' : undefined
    turns++
    return othersWait && turns % TURN_OF_OTHERS === 0 ? 'others' : 'known'
  }

  function letIn(): void {
    while (!isFull()) {
      const kind = turnOf()
      const place = kind && (kind === 'known' ? known : others).next()
      if (!kind || !place) return
      if (clock.monotonicMs() - place.sinceMs > longestWaitMs) {
        place.refuse()
        continue
      }
      running[kind]++
      place.enter()
    }
  }

  return async (work, who = ANYBODY) => {
    await enter(who)
    try {
      return await work()
    } finally {
      running[who.isKnown ? 'known' : 'others']--
      letIn()
    }
  }
}

/** For argon2: two leave the others of Node's four threads to everything else. Concurrent logins do not see failures of
 * each other, so this also bounds how many slip past the slow-down. Unknown callers queue by network, one at a time. */
export const passwordGate = createGate({
  atOnce: 2,
  othersAtOnce: 1,
  waiting: 1000,
  waitingEach: 20,
  longestWaitMs: 10_000,
})

/** Comes first, because only the database knows who is known there. One at a time: callers with a token are looked up
 * over the same few connections. */
export const attemptGate = createGate({ atOnce: 1, waiting: 5000, waitingEach: 50, longestWaitMs: 10_000 })

export const ofAccount = (accountId: number): Waiting => ({ name: `account ${accountId}`, isKnown: true })

/** `hashPassword` for a service, in turn with those who log in. @throws ClientError 503 when too many wait. */
export function hashBehindGate(password: string, who: Waiting): Promise<string> {
  return passwordGate(() => hashPassword(password), who)
}
