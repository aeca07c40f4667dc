import pino from 'pino'
import { Registry } from 'prom-client'
import { expect, onTestFinished, test } from 'vitest'
import { createTestDatabase } from '../../../test/database.ts'
import { openDatabase } from '../../db/database.ts'
import { listRejectedFrames, MOST_BYTES } from '../../db/rejected-frames.ts'
import { RejectedFrames } from './rejected-frames.ts'

async function start(url?: string) {
  const testDatabase = await createTestDatabase()
  const database = openDatabase({ url: url ?? testDatabase.url })
  onTestFinished(async () => {
    await database.close()
    await testDatabase.drop()
  })
  const registry = new Registry()
  const rejected = new RejectedFrames({ database, registry, log: pino({ level: 'silent' }) })
  const counted = async () => {
    const metric = await registry.getSingleMetric('tacho_rejected_frames_total')?.get()
    return Object.fromEntries(metric?.values.map(({ labels, value }) => [labels.kept, value]) ?? [])
  }
  return { database, rejected, counted }
}

const frame = (sender: string, bytes = Buffer.from('x')) => ({
  gateway: 'teltonika',
  deviceId: undefined,
  sender,
  why: 'It is wrong.',
  bytes,
})

test('one sender cannot crowd out the others, and all together cannot crowd out the database', async () => {
  const { database, rejected, counted } = await start()
  for (let i = 0; i < 1000; i++) rejected.keep(frame('192.0.2.1'))
  rejected.keep(frame('192.0.2.2'))
  expect(await counted()).toEqual({ yes: 11, no: 990 })
  for (let i = 0; i < 1000; i++) rejected.keep(frame(`2001:db8::${i}`))
  expect(await counted()).toEqual({ yes: 20, no: 1981 })
  await rejected.stop()
  const kept = await listRejectedFrames(database, 100)
  expect(kept).toHaveLength(20)
  expect(kept.filter(({ sender }) => sender === '192.0.2.1')).toHaveLength(10)
  expect(kept.some(({ sender }) => sender === '192.0.2.2')).toBe(true)
})

test('what is kept does not change with the memory that it came in', async () => {
  const { database, rejected } = await start()
  const bytes = Buffer.alloc(MOST_BYTES * 2, 'a')
  rejected.keep(frame('192.0.2.1', bytes))
  bytes.fill('b')
  await rejected.stop()
  const [kept] = await listRejectedFrames(database, 1)
  expect(kept).toMatchObject({ byte_count: MOST_BYTES * 2, bytes: Buffer.alloc(MOST_BYTES, 'a') })
})

test('without a database nothing is kept, and nobody notices', async () => {
  const { rejected } = await start('postgresql://nobody@127.0.0.1:1/none')
  expect(() => rejected.keep(frame('192.0.2.1'))).not.toThrow()
  await expect(rejected.stop()).resolves.toBeUndefined()
})
