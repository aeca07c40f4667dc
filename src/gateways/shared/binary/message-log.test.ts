import pino from 'pino'
import { expect, it } from 'vitest'
import type { DeviceId } from '../../../model/sample.ts'
import { MessageLog } from './take-frame.ts'

it('tells what devices say, and not more than a disk can bear', () => {
  const lines: string[] = []
  const log = new MessageLog(pino({}, { write: line => void lines.push(line) }))
  const messages = [{ fields: { codec: 12, type: 6 }, text: 'x'.repeat(60_000) }]
  for (let count = 0; count < 10_000; count++) log.log(356307042441013 as DeviceId, messages)
  expect(lines.length).toBeGreaterThanOrEqual(20)
  expect(lines.length).toBeLessThan(200)
  expect(lines.join('').length / lines.length).toBeLessThan(1500)
})
