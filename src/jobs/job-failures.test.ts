import { expect, test } from 'vitest'
import { TestClock } from '../../test/test-clock.ts'
import { JobFailures } from './job-failures.ts'

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
