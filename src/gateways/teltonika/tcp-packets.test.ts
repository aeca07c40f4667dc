import { describe, expect, it } from 'vitest'
import { loginPacket } from '../../../lab/teltonika-dongle/write-frame.ts'
import { writeCommand } from '../../../test/teltonika-packets.ts'
import { StreamPackets } from '../shared/binary/stream-packets.ts'
import { TELTONIKA } from './protocol.ts'

const IMEI = '356307042441013'

function pushedIn(...chunks: readonly Buffer[]) {
  const packets = new StreamPackets({ ...TELTONIKA.stream, mostBytes: 4096 })
  return chunks.flatMap(chunk => packets.push(chunk))
}
const loggedIn = (...chunks: readonly Buffer[]) => pushedIn(loginPacket(IMEI), ...chunks).slice(1)

it('a keep-alive is one byte between two packets', () => {
  const [frame, keepAlive] = [writeCommand('getver'), Buffer.of(0xff)]
  expect(loggedIn(Buffer.concat([keepAlive, frame, keepAlive, keepAlive]))).toEqual([
    { kind: 'keep-alive' },
    { kind: 'frame', bytes: frame },
    { kind: 'keep-alive' },
    { kind: 'keep-alive' },
  ])
})

describe('what is no packet', () => {
  it.each([
    ['a login that is too short', Buffer.from('000e3335323039333038363430333635', 'hex')],
    ['a login with a letter', Buffer.from('000f33353633303730343234343130313a', 'hex')],
  ])('is %s', (_, bytes) => {
    expect(pushedIn(bytes)).toEqual([expect.objectContaining({ kind: 'broken' })])
  })

  it.each([
    ['a frame that does not begin with zeros', Buffer.from('000100000000003608', 'hex')],
    ['a frame without data', Buffer.from('0000000000000000', 'hex')],
  ])('is %s', (_, bytes) => {
    expect(loggedIn(bytes)).toEqual([expect.objectContaining({ kind: 'broken' })])
  })

  it('says of a frame that does not begin with zeros what it should begin with', () => {
    expect(loggedIn(Buffer.from('0001000000000036', 'hex'))).toMatchObject([
      { why: 'A frame must begin with four zero bytes.' },
    ])
  })
})
