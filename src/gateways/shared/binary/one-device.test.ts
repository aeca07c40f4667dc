import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { roomForOneMore } from './limits.ts'

const LIMITS = { ofDeviceAndPeer: 3, ofDevice: 5 }
const connection = (peer: string, heardMs: number, hasStored: boolean) => ({ peer, heardMs, hasStored })

describe('one more connection of a dongle', () => {
  it('has room beside those whose network was lost', () => {
    expect(roomForOneMore('a', [], LIMITS)).toBeUndefined()
    expect(roomForOneMore('a', [connection('a', 1, true), connection('b', 2, true)], LIMITS)).toBeUndefined()
  })

  it('beyond the most of its peer takes the place of the one that stored nothing, else of the longest silent', () => {
    const [live, idle, other] = [connection('a', 1, true), connection('a', 9, false), connection('a', 5, true)]
    expect(roomForOneMore('a', [live, idle, other], LIMITS)).toBe(idle)
    expect(roomForOneMore('a', [live, { ...idle, hasStored: true }, other], LIMITS)).toBe(live)
  })

  it('never ends one of another peer that has stored anything', () => {
    const anyConnection = fc.record({
      peer: fc.constantFrom('a', 'b', 'c', 'd'),
      heardMs: fc.integer({ min: 0, max: 100 }),
      hasStored: fc.boolean(),
    })
    fc.assert(
      fc.property(fc.constantFrom('a', 'b'), fc.array(anyConnection, { maxLength: 10 }), (peer, others) => {
        const room = roomForOneMore(peer, others, LIMITS)
        if (room === undefined || room === 'refused') return
        expect(room.peer === peer || !room.hasStored).toBe(true)
      }),
    )
  })

  it('from elsewhere is refused when all that are there report', () => {
    const others = ['b', 'b', 'c', 'c', 'd'].map(peer => connection(peer, 1, true))
    expect(roomForOneMore('a', others, LIMITS)).toBe('refused')
  })
})
