import { setImmediate } from 'node:timers/promises'
import pino from 'pino'
import { expect, test } from 'vitest'
import { TestClock } from '../../test/test-clock.ts'
import { Signal } from '../lib/signal.ts'
import { BackgroundJobs, JobFailures } from './background-jobs.ts'

function jobsBy(clock: TestClock) {
  const failures = new JobFailures(undefined, clock)
  return { failures, jobs: new BackgroundJobs({ log: pino({ enabled: false }), failures, clock }) }
}

test('a job that fails is tried again after its interval, and the others go on', async () => {
  const clock = new TestClock()
  const { failures, jobs } = jobsBy(clock)
  const runs = { healthy: 0, failing: 0 }
  jobs.every(10, 'failing', async () => {
    if (++runs.failing < 3) throw new Error('the database is away')
  })
  jobs.every(30, 'healthy', async () => void runs.healthy++)
  const untilBothRest = () => expect.poll(() => clock.pending).toBe(2)

  await untilBothRest()
  expect(failures.failing).toMatchObject([{ name: 'failing', failures: 1 }])
  clock.advance(10_000)
  await untilBothRest()
  expect(failures.failing).toMatchObject([{ name: 'failing', failures: 2 }])
  clock.advance(10_000)
  await untilBothRest()
  expect(failures.failing).toEqual([])
  expect(runs).toEqual({ failing: 3, healthy: 1 })
  clock.advance(10_000)
  await untilBothRest()
  expect(runs).toEqual({ failing: 4, healthy: 2 })
  await jobs.stop()
  expect(clock.pending).toBe(0)
})

test('stopping ends every rest at once, and waits for what runs', async () => {
  const { jobs } = jobsBy(new TestClock())
  const mayEnd = new Signal()
  let ended = 0
  jobs.every(3600, 'resting', async () => undefined)
  jobs.every(3600, 'running', async () => {
    await mayEnd.wait()
    ended++
  })
  const stopped = jobs.stop().then(() => ended)
  mayEnd.emit()
  expect(await stopped).toBe(1)
})

test('a chore begins only when the process has run for a minute', async () => {
  const clock = new TestClock()
  const { jobs } = jobsBy(clock)
  let runs = 0
  jobs.everyNowAndThen(3600, 'tidying', async () => void runs++)
  clock.advance(59_000)
  await setImmediate()
  expect(runs).toBe(0)
  clock.advance(1000)
  await expect.poll(() => runs).toBe(1)
  await expect.poll(() => clock.pending).toBe(1)
  clock.advance(3_600_000)
  await expect.poll(() => runs).toBe(2)
  await jobs.stop()
  expect(clock.pending).toBe(0)
})

test('a chore whose process is stopped before does not begin', async () => {
  const clock = new TestClock()
  const { jobs } = jobsBy(clock)
  let runs = 0
  jobs.everyNowAndThen(3600, 'tidying', async () => void runs++)
  await jobs.stop()
  expect([runs, clock.pending]).toEqual([0, 0])
})

test('a job fails from its first failure until a run succeeds', () => {
  const clock = new TestClock(Date.UTC(2026, 0, 15))
  const observed: string[] = []
  const jobs = new JobFailures(name => void observed.push(name), clock)
  jobs.failed('retention')
  clock.advance(60_000)
  jobs.failed('retention')
  jobs.failed('online sweep')
  expect(jobs.failing).toEqual([
    { name: 'retention', since: '2026-01-15T00:00:00.000Z', failures: 2 },
    { name: 'online sweep', since: '2026-01-15T00:01:00.000Z', failures: 1 },
  ])
  jobs.succeeded('retention')
  expect(jobs.failing.map(({ name }) => name)).toEqual(['online sweep'])
  expect(observed).toEqual(['retention', 'retention', 'online sweep'])
})
