import { expect, test } from 'vitest'
import { ChangesMeanwhile, withNewer } from './live-state.ts'

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

test('a change that is told while a list is on its way is not undone by the list', async () => {
  const changes = new ChangesMeanwhile<string, Car>()
  let reply: (cars: ReadonlyMap<string, Car>) => void = () => undefined
  const list = changes.during(() => new Promise(resolve => (reply = resolve)))
  changes.add([car('a', 2, 'parked'), car('b', 2, 'road'), car('c', 2, 'new')])
  changes.add([car('a', 3, 'road again')])
  reply(listOf(car('a', 1, 'road'), car('b', 3, 'parked')))
  expect(places(await list)).toEqual({ a: 'road again', b: 'parked', c: 'new' })
})

test('each reader gets what was told while it read itself, also after one that failed', async () => {
  const changes = new ChangesMeanwhile<string, Car>()
  changes.add([car('a', 9, 'before anybody read')])
  const failed = changes.during(async () => {
    changes.add([car('a', 8, 'while another one read')])
    throw new Error('away')
  })
  await expect(failed).rejects.toThrow('away')
  const list = changes.during(async () => {
    changes.add([car('a', 2, 'road')])
    return listOf(car('a', 1, 'home'))
  })
  expect(places(await list)).toEqual({ a: 'road' })
})
