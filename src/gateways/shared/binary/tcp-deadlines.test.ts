import { describe, expect, it } from 'vitest'
import { TcpDeadlines } from './tcp-session.ts'

const LIMITS = { loginMs: 30, frameMs: 60, idleMs: 1000, farewellMs: 5 }
const WHOLE = { packets: 1, isInPacket: false }
const BEGUN = { packets: 0, isInPacket: true }

const loggedIn = () => {
  const deadlines = new TcpDeadlines(LIMITS, 0)
  deadlines.loggedIn(10)
  return deadlines
}

describe('a connection', () => {
  it('must log in in time, however busily it sends the login', () => {
    const deadlines = new TcpDeadlines(LIMITS, 0)
    for (let nowMs = 1; nowMs <= 30; nowMs++) {
      deadlines.heard(BEGUN, nowMs)
      expect(deadlines.overdue(false, nowMs)).toBeUndefined()
    }
    expect(deadlines.overdue(false, 31)).toBe('login too slow')
  })

  it('must finish a frame in time, counted from its first byte', () => {
    const deadlines = loggedIn()
    for (const nowMs of [100, 130, 159]) deadlines.heard(BEGUN, nowMs)
    expect(deadlines.overdue(false, 160)).toBeUndefined()
    expect(deadlines.overdue(false, 161)).toBe('frame too slow')
    // One frame ends and the next one begins in the same read.
    deadlines.heard({ packets: 1, isInPacket: true }, 160)
    expect(deadlines.overdue(false, 220)).toBeUndefined()
    expect(deadlines.overdue(false, 221)).toBe('frame too slow')
  })

  it('may be silent between frames for long, and while it waits for an answer for ever', () => {
    const deadlines = loggedIn()
    deadlines.heard(WHOLE, 100)
    expect(deadlines.overdue(false, 1100)).toBeUndefined()
    expect(deadlines.overdue(true, 1101)).toBeUndefined()
    expect(deadlines.overdue(false, 1101)).toBe('idle')
  })

  it('must take its leave when everything is said', () => {
    const deadlines = loggedIn()
    deadlines.ended(50)
    expect(deadlines.overdue(false, 55)).toBeUndefined()
    expect(deadlines.overdue(true, 56)).toBe('farewell too slow')
  })
})
