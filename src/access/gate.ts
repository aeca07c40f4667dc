import { type Clock, SYSTEM_CLOCK } from '../lib/clock.ts'
import { TurnQueue } from '../lib/turn-queue.ts'
import { unavailable } from '../model/errors.ts'

interface GateOptions {
  /** How much work runs at once. */
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

/** A caller that waits for its turn. */
export interface Waiting {
  /** Names take turns. */
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

/**
 * Keeps expensive work from using the whole machine, and bounds and shares the queue of callers that wait for it.
 *
 * A `Semaphore` gives each party a share of the places. Here that would not help: before anybody has logged in, a caller can
 * appear under as many names as it likes. So there are two classes: known callers hardly wait for others, and unknown ones all
 * together get one turn in four while known ones wait, and at most `othersAtOnce` places.
 */
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

  /** The next caller among those who may enter now. */
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
