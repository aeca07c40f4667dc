import { afterAll, afterEach, expect, test } from 'vitest'
import { typedCommands } from '../../test/cli.ts'
import { createTestDatabase } from '../../test/database.ts'
import { query } from '../../test/embedded-folder.ts'
import { openDatabase } from '../db/database.ts'
import {
  dropRejectedFramesBefore,
  MOST_BYTES,
  MOST_FRAMES,
  type RejectedFrame,
  writeRejectedFrames,
} from '../db/rejected-frames.ts'
import { writeTransaction } from '../db/transaction.ts'
import type { DeviceId } from '../model/sample.ts'
import { hexDump, registerFrames } from './frames.ts'

const testDatabase = await createTestDatabase()
afterAll(() => testDatabase.drop())

afterEach(async () => {
  await query(testDatabase.url, 'truncate rejected_frames restart identity')
})
const { output, notes, tacho } = typedCommands([registerFrames], () => testDatabase.url)

async function keep(...frames: RejectedFrame[]): Promise<void> {
  const database = openDatabase({ url: testDatabase.url })
  await writeTransaction(database, transaction => writeRejectedFrames(transaction, frames))
  await database.close()
}

const FRAME: RejectedFrame = {
  gateway: 'teltonika',
  deviceId: 356307042441013 as DeviceId,
  sender: '192.0.2.7',
  why: 'The checksum is wrong.',
  bytes: Buffer.from('Tacho\0\xff', 'latin1'),
  byteCount: 7,
}

test('list shows the newest first, show the bytes of one, clear forgets them', async () => {
  await tacho('frames', 'list')
  expect(notes).toEqual(['Nothing was rejected.'])
  await keep(FRAME, { ...FRAME, deviceId: undefined, gateway: 'mqtt', why: 'It is no JSON.' })
  await tacho('frames', 'list')
  const [head, ...rows] = (output.pop() ?? '').split('\n').map(line => line.trim().split(/ {2,}/))
  expect(head).toEqual(['ID', 'RECEIVED', 'GATEWAY', 'DEVICE', 'SENDER', 'BYTES', 'WHY'])
  const minute = expect.stringMatching(/^\d{4}-\d\d-\d\d \d\d:\d\dZ$/)
  expect(rows).toEqual([
    ['2', minute, 'mqtt', '192.0.2.7', '7', 'It is no JSON.'],
    ['1', minute, 'teltonika', '356307042441013', '192.0.2.7', '7', 'The checksum is wrong.'],
  ])
  await tacho('frames', 'list', '--limit', '1')
  expect((output.pop() ?? '').split('\n')).toHaveLength(2)

  await tacho('frames', 'show', '1')
  expect(output.pop()).toMatch(
    /Why {7}The checksum is wrong\.\nBytes {5}7\n\n00000000 {2}54 61 63 68 6f 00 ff .*\|Tacho\.\.\|$/,
  )

  await tacho('frames', 'clear')
  expect(notes.pop()).toBe('2 rejected frames are forgotten.')
  await expect(tacho('frames', 'show', '1')).rejects.toThrow(
    'There is no rejected frame with that id; see `tacho frames list`.',
  )
  await expect(tacho('frames', 'show', 'x')).rejects.toThrow('It must be a whole number above 0.')
})

test('what a sender chose cannot steer the terminal', async () => {
  await keep({ ...FRAME, sender: '\u001b[2J', why: `\0\u202e${'x'.repeat(2000)}` })
  await tacho('frames', 'list')
  expect(output.pop()).not.toMatch(/[^\P{C}\n]/u)
})

test('of a long one the start is kept, and how long it was', async () => {
  await keep({ ...FRAME, bytes: Buffer.alloc(MOST_BYTES + 1), byteCount: MOST_BYTES + 1 })
  await tacho('frames', 'show', '1')
  expect(output.pop()).toContain('Bytes     4097, of which the first 4096 are kept')
})

test('only the newest are kept', async () => {
  await query(
    testDatabase.url,
    `insert into rejected_frames (gateway, sender, why, byte_count, bytes)
     select 'mqtt', 'x', 'y', 0, '' from generate_series(1, ${MOST_FRAMES})`,
  )
  await keep(FRAME, FRAME)
  const [kept] = await query(testDatabase.url, 'select count(*)::integer, min(id)::integer from rejected_frames')
  expect(kept).toEqual({ count: MOST_FRAMES, min: 3 })
})

test('those beyond RETENTION_DAYS are dropped', async () => {
  await keep(FRAME, FRAME)
  await query(testDatabase.url, `update rejected_frames set received = '2026-01-01T00:00:00Z' where id = 1`)
  const database = openDatabase({ url: testDatabase.url })
  const before = (day: number) =>
    writeTransaction(database, transaction => dropRejectedFramesBefore(transaction, Date.UTC(2026, 0, day)))
  expect([await before(1), await before(2)]).toEqual([0, 1])
  await database.close()
  expect(await query(testDatabase.url, 'select id::integer from rejected_frames')).toEqual([{ id: 2 }])
})

test('bytes are shown as hexdump -C shows them', () => {
  const bytes = Buffer.from('000000000000003d8e0100000163000aTacho |~\x7f', 'latin1')
  expect(hexDump(bytes)).toBe(
    [
      '00000000  30 30 30 30 30 30 30 30  30 30 30 30 30 30 33 64  |000000000000003d|',
      '00000010  38 65 30 31 30 30 30 30  30 31 36 33 30 30 30 61  |8e0100000163000a|',
      '00000020  54 61 63 68 6f 20 7c 7e  7f                       |Tacho |~.|',
    ].join('\n'),
  )
  expect(hexDump(Buffer.alloc(0))).toBe('')
})
