import { QueryClient, QueryObserver } from '@tanstack/react-query'
import { expect, it } from 'vitest'
import { atMostEvery } from './at-most-every.ts'

const queryKey = ['statistics', 'slow'] as const

/** A query that somebody looks at, and what was asked for it. */
function watched(everyMs: number) {
  const client = new QueryClient({ defaultOptions: { queries: { retry: false } } })
  const answers: ((value: number) => void)[] = []
  const ask = () => new Promise<number>(resolve => answers.push(resolve))
  const observer = new QueryObserver(client, {
    queryKey,
    queryFn: ({ signal }) => atMostEvery({ client, queryKey, signal, everyMs, ask }),
  })
  const close = observer.subscribe(() => undefined)
  return { client, answers, data: () => observer.getCurrentResult().data, close }
}

it('a request that is still under way when more changes is neither given up nor asked twice', async () => {
  const { client, answers, data, close } = watched(0)
  await expect.poll(() => answers).toHaveLength(1)
  answers[0]?.(1)
  await expect.poll(() => data()).toBe(1)
  void client.invalidateQueries({ queryKey })
  await expect.poll(() => answers).toHaveLength(2)
  void client.invalidateQueries({ queryKey })
  void client.invalidateQueries({ queryKey })
  await new Promise(resolve => setTimeout(resolve, 20))
  expect(answers).toHaveLength(2)
  answers[1]?.(2)
  await expect.poll(() => data()).toBe(2)
  close()
})

it('what was just answered is not asked again before its time, and then once', async () => {
  const { client, answers, data, close } = watched(120)
  await expect.poll(() => answers).toHaveLength(1)
  answers[0]?.(1)
  await expect.poll(() => data()).toBe(1)
  const answeredMs = client.getQueryState(queryKey)?.dataUpdatedAt ?? 0
  for (let change = 0; change < 3; change++) void client.invalidateQueries({ queryKey })
  expect(answers).toHaveLength(1)
  await expect.poll(() => answers).toHaveLength(2)
  // Timers may go off a millisecond early.
  expect(Date.now() - answeredMs).toBeGreaterThanOrEqual(119)
  await new Promise(resolve => setTimeout(resolve, 20))
  expect(answers).toHaveLength(2)
  answers[1]?.(2)
  await expect.poll(() => data()).toBe(2)
  close()
})

it('a clock that is put back makes no rest longer', async () => {
  const { client, answers, data, close } = watched(50)
  await expect.poll(() => answers).toHaveLength(1)
  answers[0]?.(1)
  await expect.poll(() => data()).toBe(1)
  client.setQueryData(queryKey, 1, { updatedAt: Date.now() + 36e5 })
  void client.invalidateQueries({ queryKey })
  await expect.poll(() => answers).toHaveLength(2)
  close()
})
