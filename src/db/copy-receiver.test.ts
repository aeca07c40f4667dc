import { PassThrough } from 'node:stream'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { CopyReceiver } from './copy.ts'

type Message = readonly [kind: string, body: Uint8Array]

const READY: Message = ['Z', Buffer.from('I')]

function bytesOf(messages: readonly Message[]): Buffer {
  return Buffer.concat(
    messages.flatMap(([kind, body]) => {
      const header = Buffer.alloc(5)
      header.write(kind)
      header.writeInt32BE(4 + body.length, 1)
      return [header, body]
    }),
  )
}

test('rows come whole, and the driver hears everything else, wherever the bytes are cut', () => {
  const anyMessage = fc.tuple(fc.constantFrom('d', 'd', 'N', 'c'), fc.uint8Array({ maxLength: 40 }))
  const messages = fc.array(anyMessage, { maxLength: 20 })
  const lengths = fc.infiniteStream(fc.integer({ min: 1, max: 50 }))
  fc.assert(
    fc.property(messages, messages, lengths, (ofCopy, ofNextQuery, lengthsOfPieces) => {
      const stream = new PassThrough()
      const heard: Buffer[] = []
      stream.on('data', (bytes: Buffer) => heard.push(bytes))
      const receiver = new CopyReceiver({ stream })
      const [rows, others] = [ofCopy.filter(([kind]) => kind === 'd'), ofCopy.filter(([kind]) => kind !== 'd')]
      const sent = bytesOf([...ofCopy, READY, ...ofNextQuery])
      for (let at = 0; at < sent.length; ) {
        const end = at + lengthsOfPieces.next().value
        stream.emit('data', sent.subarray(at, end))
        at = end
      }
      expect(receiver.bytes).toEqual(Buffer.concat(rows.map(([, body]) => body)))
      expect(Buffer.concat(heard)).toEqual(bytesOf([...others, READY, ...ofNextQuery]))
    }),
  )
})
