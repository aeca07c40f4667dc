import { QueryClient } from '@tanstack/react-query'
import { expect, test } from 'vitest'
import { followedList, withNewer } from './live-state.ts'

interface Car {
  readonly id: string
  readonly modifyTimestamp: string
  readonly place: string
}

const car = (id: string, second: number, place: string): Car => ({
  id,
  modifyTimestamp: `2026-01-15T08:00:0${second}.000000Z`,
  place,
})
const listOf = (...cars: readonly Car[]) => new Map(cars.map(each => [each.id, each]))
const places = (cars: ReadonlyMap<string, Car>) => Object.fromEntries([...cars].map(([id, { place }]) => [id, place]))

test('what is newer replaces, what is older does not, and what is known is left as it was', () => {
  const known = listOf(car('a', 1, 'home'), car('b', 5, 'work'))
  const merged = withNewer(known, [car('a', 2, 'road'), car('b', 4, 'road'), car('c', 1, 'sea')])
  expect(places(merged)).toEqual({ a: 'road', b: 'work', c: 'sea' })
  expect(places(known)).toEqual({ a: 'home', b: 'work' })
})

test('what is told while a list is on its way is not undone by it, also after a reader that failed', async () => {
  const client = new QueryClient()
  let reply: (cars: readonly Car[]) => void = () => undefined
  let fail: (error: Error) => void = () => undefined
  const list = followedList<string, Car>(['cars'], () => new Promise((...ends) => ([reply, fail] = ends)))
  list.learn(client, [car('a', 9, 'before anybody read')])
  const failed = client.fetchQuery(list.query)
  list.learn(client, [car('a', 8, 'while another one read')])
  fail(new Error('away'))
  await expect(failed).rejects.toThrow('away')

  const cars = client.fetchQuery(list.query)
  list.learn(client, [car('a', 2, 'parked'), car('b', 2, 'road'), car('c', 2, 'new')])
  list.learn(client, [car('a', 3, 'road again')])
  reply([car('a', 1, 'road'), car('b', 3, 'parked')])
  expect(places(await cars)).toEqual({ a: 'road again', b: 'parked', c: 'new' })
})
