import { setImmediate } from 'node:timers/promises'
import { beforeEach, expect, test } from 'vitest'
import { TestClock } from '../../test/test-clock.ts'
import { requiredEventType } from '../catalogue/event-types.ts'
import { type DeviceId, sampleOf } from '../model/sample.ts'
import { Gathering } from './gathering.ts'
import type { Submission } from './submission.ts'

const SPEED = requiredEventType('VEHICLE_SPEED_AVERAGE').id

let clock: TestClock
let gathering: Gathering
let isWatched: boolean

beforeEach(() => {
  clock = new TestClock()
  isWatched = false
  gathering = new Gathering(() => isWatched, clock)
})

function submission(samples: number, sender: Partial<Submission> = {}): Submission {
  return {
    samples: Array.from({ length: samples }, (_, index) =>
      sampleOf(356307042440001 as DeviceId, index * 1000, new Map([[SPEED, 50]])),
    ),
    accountId: undefined,
    ...sender,
  }
}

/** So many dongles report within a second, and what they sent is taken. */
function report(dongles: number): void {
  for (let dongle = 0; dongle < dongles; dongle++) {
    gathering.arrived(submission(1))
    gathering.taken(false)
    clock.advance(900 / dongles)
  }
}

/** How long it gathers from now on, in steps of a millisecond. */
async function gatheredMs(): Promise<number> {
  let isDue = false
  const watch = async () => {
    await gathering.untilDue()
    isDue = true
  }
  const due = watch()
  for (let ms = 0; ; ms++) {
    await setImmediate()
    if (isDue) {
      await due
      return ms
    }
    clock.advance(1)
  }
}

test('while few dongles report, nobody waits for others', async () => {
  report(3)
  gathering.arrived(submission(1))
  expect(await gatheredMs()).toBe(2)
})

test.each([
  [6, false, 400],
  [39, false, 250],
  [900, false, 200],
  [6, true, 200],
  [79, true, 125],
  [900, true, 100],
])(
  'while %i report a second (a stream is open: %s), samples are gathered for %i ms from the first on',
  async (dongles, watched, ms) => {
    isWatched = watched
    report(dongles)
    gathering.arrived(submission(1))
    clock.advance(60)
    gathering.arrived(submission(2))
    expect(await gatheredMs()).toBe(ms - 60)
  },
)

test.each([
  ['a client with a key', submission(1, { accountId: 1 }), 2],
  ['a broker, behind whose message others wait', submission(1, { cannotWait: true }), 2],
  ['a dongle with a backlog', submission(10), 2],
  ['enough samples for a batch', submission(500), 0],
])('%s does not wait, and takes along who does', async (_, hurried, ms) => {
  report(6)
  gathering.arrived(submission(1))
  clock.advance(10)
  gathering.arrived(hurried)
  expect(await gatheredMs()).toBe(ms)
})

test('after a quiet while a single dongle does not wait any more', async () => {
  report(9)
  clock.advance(2000)
  gathering.arrived(submission(1))
  expect(await gatheredMs()).toBe(2)
})

test('what is left of a batch is due at once, and so is everything when the intake ends', async () => {
  report(6)
  gathering.arrived(submission(1))
  gathering.taken(true)
  expect(await gatheredMs()).toBe(0)
  gathering.taken(false)
  gathering.arrived(submission(1))
  gathering.hurry()
  expect(await gatheredMs()).toBe(0)
  gathering.taken(false)
  const due = gathering.untilDue()
  gathering.end()
  expect(await due).toBeUndefined()
})
