import { existsSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ingestStandIn } from '../../test/ingest-stand-in.ts'
import { recorded } from '../../test/ved-recording.ts'
import { replayVed, shiftToNowMs, summaryOf, type VedReplay } from './replay-ved.ts'

let folder = ''
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tacho-replay-'))
})
afterAll(() => rm(folder, { recursive: true }))

async function replay(file: string, url: string, options: Partial<VedReplay> = {}) {
  const client = { baseUrl: url, key: 'secret', batchEvents: 100 }
  const signal = new AbortController().signal
  return replayVed({ file, speed: undefined, toNow: false, signal, client, onSurveyed: () => {}, ...options })
}

async function fileOf(...rows: Record<string, string>[]): Promise<string> {
  const file = join(folder, 'drive.csv')
  await writeFile(file, recorded(...rows))
  return file
}

const drive = (car: number, trip: number, seconds: number) =>
  Array.from({ length: seconds }, (_, i) => ({
    VehId: String(car),
    Trip: String(trip),
    'Timestamp(ms)': String(i * 1000),
    'Vehicle Speed[km/h]': String(i),
    ...(i % 2 ? { 'OAT[DegC]': '20', 'MAF[g/sec]': '3' } : {}),
  }))

test('what the summary calls accepted is what is stored, and the counts add up', async () => {
  await using server = await ingestStandIn()
  const file = await fileOf(...drive(1, 1, 100), ...drive(2, 1, 50))
  const { survey, totals } = await replay(file, server.url)
  // A position and a speed in each row, a temperature in every second, and a VIN a trip.
  expect(totals).toMatchObject({ events: 150 * 2 + 75 + 2, accepted: 377, duplicates: 0, samples: 150 })
  expect(server.stored.size).toBe(377)
  expect(survey).toMatchObject({ rows: 150, cars: 2, trips: 2, emptyRows: 0, repeatedInstants: 0 })
  expect(survey.leftOut.get('MAF[g/sec]')).toBe(75)
  expect([...server.stored.keys()].filter(key => key.endsWith(' VIN'))).toHaveLength(2)
})

test('a second replay is duplicates only', async () => {
  await using server = await ingestStandIn()
  const file = await fileOf(...drive(1, 1, 30))
  const first = await replay(file, server.url)
  const second = await replay(file, server.url)
  expect(second.totals).toMatchObject({ accepted: 0, duplicates: first.totals.accepted })
})

test('rows that repeat an instant, and rows without values, are counted', async () => {
  await using server = await ingestStandIn()
  const nothing = { 'Latitude[deg]': '', 'Longitude[deg]': '' }
  const report = await replay(
    await fileOf({}, { 'OAT[DegC]': '20' }, { ...nothing, 'Timestamp(ms)': '5', 'MAF[g/sec]': '3' }),
    server.url,
  )
  expect(report.survey).toMatchObject({ rows: 3, emptyRows: 1, repeatedInstants: 1 })
  expect(report.totals).toMatchObject({ events: 4, accepted: 3, duplicates: 1 })
  const text = summaryOf({ ...report, tookMs: 2000 })
  expect(text).toContain('rows      3, of which 1 hold nothing to send')
  expect(text).toContain('samples   1; 1 rows repeat an instant')
  expect(text).toContain('events    4 sent = 3 accepted + 1 duplicates')
  expect(text).toContain('left out  1 values of MAF[g/sec]: no event type')
  expect(text).toContain('time      2.0 s, 2 events/s')
})

test('a bad line anywhere is found before anything is sent', async () => {
  await using server = await ingestStandIn()
  const file = await fileOf(...drive(1, 1, 100), { VehId: 'x' })
  await expect(replay(file, server.url)).rejects.toThrow('drive.csv, line 102: "x" in column "VehId" is not a number.')
  expect(server.requests).toHaveLength(0)
})

test('at a given speed all cars drive at the same time, and the end is now', async () => {
  await using server = await ingestStandIn()
  const file = await fileOf(...drive(1, 1, 60), ...drive(2, 1, 60))
  const startMs = Date.now()
  const { totals, tookMs } = await replay(file, server.url, { speed: 60, toNow: true })
  expect(totals).toMatchObject({ samples: 120, duplicates: 0 })
  expect(tookMs).toBeGreaterThan(900)
  const events = server.requests.flatMap(request => request.events)
  const times = events.map(event => Date.parse(event.recordedTimestamp))
  const lots = server.requests.map(request => new Set(request.events.map(event => event.deviceId)).size)
  expect(Math.max(...times)).toBeLessThanOrEqual(Date.now())
  expect(Math.max(...times)).toBeGreaterThan(startMs)
  expect(lots.length).toBeGreaterThan(2)
})

test('moved to now, nothing is ever sent before its time', () => {
  expect(shiftToNowMs(1000, 61_000, 500_000, undefined)).toBe(500_000 - 61_000)
  expect(shiftToNowMs(1000, 61_000, 500_000, 1)).toBe(500_000 - 1000)
  expect(shiftToNowMs(1000, 61_000, 500_000, 60)).toBe(501_000 - 61_000)
})

const SAMPLE = '../shared/data/ved/ved_sample.csv.gz'
test.skipIf(!existsSync(SAMPLE))(`the real recording (skipped where there is no ${SAMPLE})`, async () => {
  await using server = await ingestStandIn()
  const { survey, totals } = await replay(SAMPLE, server.url, { client: { baseUrl: server.url, key: 'secret' } })
  expect(survey).toMatchObject({ rows: 87_024, cars: 25, trips: 115, emptyRows: 0, repeatedInstants: 0 })
  expect(totals.accepted).toBe(server.stored.size)
  expect(totals).toMatchObject({ samples: 87_024, duplicates: 0, events: totals.accepted })
})
