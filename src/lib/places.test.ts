import { expect, test } from 'vitest'
import { type Claimant, Places } from './places.ts'

const places = (options: Partial<ConstructorParameters<typeof Places>[0]> = {}) =>
  new Places({ of: 'uploads', perAccount: 2, total: 3, mostWaiting: 4, ...options })

/** Takes places and notes in which order. */
class Senders {
  readonly entered: string[] = []
  readonly #places: Places

  constructor(taken: Places) {
    this.#places = taken
  }

  /** @returns what lets go of the place, or of waiting for it */
  send(name: string, claimant: Claimant): AbortController {
    const gone = new AbortController()
    this.#places.take(claimant, gone.signal).then(
      () => this.entered.push(name),
      (error: Error) => this.entered.push(`${name}: ${error.message}`),
    )
    return gone
  }
}

const turn = () => new Promise(resolve => setImmediate(resolve))

test('an account gets no more than its places, and others theirs', async () => {
  const senders = new Senders(places())
  for (const name of ['a1', 'a2', 'a3']) senders.send(name, 1)
  senders.send('b1', 2)
  await turn()
  expect(senders.entered).toEqual(['a1', 'a2', 'b1'])
})

test('those who wait get free places in turn, by account', async () => {
  const senders = new Senders(places({ perAccount: 2, total: 2 }))
  const open = ['a1', 'a2'].map(name => senders.send(name, 1))
  for (const name of ['a3', 'a4', 'a5']) senders.send(name, 1)
  for (const name of ['b1', 'b2']) senders.send(name, 2)
  senders.send('s1', 'stranger')
  await turn()
  for (const gone of open) {
    gone.abort()
    await turn()
  }
  expect(senders.entered).toEqual(['a1', 'a2', 'a3', 'b1'])
})

test('who goes away while waiting is forgotten, and gets no place later', async () => {
  const senders = new Senders(places({ perAccount: 1 }))
  const first = senders.send('first', 1)
  const impatient = senders.send('impatient', 1)
  senders.send('last', 1)
  await turn()
  impatient.abort(new Error('gone'))
  first.abort()
  await turn()
  expect(senders.entered).toEqual(['first', 'impatient: gone', 'last'])
})

test('too many of one account are told to come back, while others may still wait', async () => {
  const senders = new Senders(places({ perAccount: 1, total: 1, mostWaiting: 1 }))
  for (const name of ['a1', 'a2', 'a3']) senders.send(name, 1)
  senders.send('b1', 2)
  await turn()
  expect(senders.entered).toEqual(['a1', 'a3: Too many uploads of this account wait already.'])
  await expect(places({ perAccount: 0, mostWaiting: 0 }).take(1, new AbortController().signal)).rejects.toMatchObject({
    status: 429,
    headers: { 'retry-after': '2' },
  })
})
