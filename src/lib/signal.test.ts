import { expect, test } from 'vitest'
import { Signal } from './signal.ts'

test('wakes all who wait, and nobody who comes later', async () => {
  const signal = new Signal()
  const woken: string[] = []
  const wait = async (name: string) => {
    await signal.wait()
    woken.push(name)
  }
  const both = [wait('first'), wait('second')]
  signal.emit()
  const later = wait('later')
  await Promise.all(both)
  expect(woken).toEqual(['first', 'second'])
  signal.emit()
  await later
})

test('is not waited for longer than wanted', async () => {
  const signal = new Signal()
  expect(await signal.wait(1)).toBeUndefined()
  const waiting = signal.wait(3_600_000)
  signal.emit()
  expect(await waiting).toBeUndefined()
})
