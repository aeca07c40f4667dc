import { expect, test } from 'vitest'
import { TestClock } from '../../test/test-clock.ts'
import { badRequest, unavailable } from '../model/errors.ts'
import { StoringState } from './storing-state.ts'

const diskFull = Object.assign(new Error('could not extend file'), { code: '53100' })
const reason = 'The disk of the database is full: nothing was stored.'

test('a fault has its reason and when it began, until something is stored', () => {
  const clock = new TestClock(Date.UTC(2026, 0, 15, 10, 31))
  const state = new StoringState(clock)
  expect(state.fault).toBeUndefined()
  expect(state.stored()).toBeUndefined()

  const fault = { reason, since: '2026-01-15T10:31:00.000Z' }
  expect(state.failed(diskFull)).toEqual(fault)
  clock.advance(60_000)
  expect(state.failed(diskFull)).toBeUndefined()
  expect(state.fault).toEqual(fault)

  expect(state.stored()).toBeUndefined()
  expect(state.fault).toEqual(fault)
  clock.advance(6000)
  expect(state.fault).toBeUndefined()
  expect(state.stored()).toEqual(fault)
  expect(state.stored()).toBeUndefined()
})

test('it lasts while some batches find room and others do not', () => {
  const clock = new TestClock()
  const state = new StoringState(clock)
  const fault = state.failed(diskFull)
  for (let second = 0; second < 60; second++) {
    clock.advance(1000)
    expect(second % 3 === 0 ? state.failed(diskFull) : state.stored()).toBeUndefined()
    expect(state.fault).toEqual(fault)
  }
})

test('another reason takes the place of the first, and it is still the same trouble', () => {
  const clock = new TestClock()
  const state = new StoringState(clock)
  const { since } = state.failed(diskFull) ?? {}
  clock.advance(1000)
  state.failed(unavailable('The database is restarting.', 2))
  expect(state.fault).toEqual({ reason: 'The database is restarting.', since })
})

test('what is wrong with one submission is no fault of storing', () => {
  const state = new StoringState(new TestClock())
  state.failed(badRequest('value must be a number.'))
  state.failed(new Error('a mistake of ours'))
  expect(state.fault).toBeUndefined()
})

test('it is forgotten when nobody has tried for some minutes', () => {
  const clock = new TestClock()
  const state = new StoringState(clock)
  state.failed(diskFull)
  clock.advance(4 * 60_000)
  expect(state.fault).toBeDefined()
  clock.advance(2 * 60_000)
  expect(state.fault).toBeUndefined()
})
