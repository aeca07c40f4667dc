import { describe, expect, it } from 'vitest'
import type { DeviceId } from '../../../model/sample.ts'
import { RefusedLogins } from './limits.ts'

const LIMITS = { strangersAtOnce: 3, strangerMs: 1000 }
const id = (number: number) => number as DeviceId

/** So many strangers of one peer, from the first number. @returns how many of them were answered */
const present = (logins: RefusedLogins, peer: string, count: number, from = 1000, nowMs = 0) =>
  Array.from({ length: count }, (_, index) => logins.isAnswered(peer, id(from + index), false, nowMs)).filter(Boolean)
    .length

describe('a peer that presents strangers', () => {
  it('is answered a few, then nothing, whether they are known or not', () => {
    const logins = new RefusedLogins(LIMITS)
    expect(present(logins, 'a', 2000)).toBe(3)
    expect(logins.isAnswered('a', id(1), true, 0)).toBe(false)
  })

  it('takes nothing from other peers', () => {
    const logins = new RefusedLogins(LIMITS)
    present(logins, 'a', 2000)
    expect(logins.isAnswered('b', id(1), true, 0)).toBe(true)
    expect(present(logins, 'b', 10)).toBe(3)
  })

  it('keeps the dongles that had logged in from there, and those only', () => {
    const logins = new RefusedLogins(LIMITS)
    for (let number = 1; number <= 500; number++) expect(logins.isAnswered('a', id(number), true, 0)).toBe(true)
    present(logins, 'a', 2000)
    for (let number = 1; number <= 500; number++) expect(logins.isAnswered('a', id(number), true, 0)).toBe(true)
    expect(logins.isAnswered('a', id(501), true, 0)).toBe(false)
  })

  it('gets one more after a while, and all of them after some', () => {
    const logins = new RefusedLogins(LIMITS)
    present(logins, 'a', 10)
    expect(present(logins, 'a', 10, 2000, 1000)).toBe(1)
    expect(logins.isAnswered('a', id(1), true, 2500)).toBe(true)
    expect(present(logins, 'a', 10, 3000, 60_000)).toBe(3)
  })

  it('pays once for a dongle that comes again and again', () => {
    const logins = new RefusedLogins(LIMITS)
    for (let time = 0; time < 100; time++) expect(logins.isAnswered('a', id(7), false, 0)).toBe(true)
    expect(present(logins, 'a', 10)).toBe(2)
    expect(logins.isAnswered('a', id(7), false, 0)).toBe(true)
  })
})
