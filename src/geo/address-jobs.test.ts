import pino from 'pino'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../test/database.ts'
import {
  type GeocoderStandIn,
  nominatimReply,
  startGeocoderStandIn,
  UNABLE_TO_GEOCODE,
} from '../../test/geocoder-stand-in.ts'
import { type Database, openDatabase } from '../db/database.ts'
import { sql } from '../db/sql.ts'
import { writeTransaction } from '../db/transaction.ts'
import { ensureAddresses } from '../derive/addresses/addresses.ts'
import type { Position } from '../model/sample.ts'
import { fillWaitingAddresses, GeocoderQueue } from './address-jobs.ts'
import { Geocoder } from './geocoder.ts'

const HOUSE = { lat: 48.1275, lon: 11.6055 }
/** Some metres beside it, in the same cell. */
const DOOR = { lat: 48.12751, lon: 11.60549 }
const ELSEWHERE = { lat: 48.15, lon: 11.6 }

describe('addresses with a geocoder', () => {
  let testDatabase: TestDatabase
  let database: Database
  let standIn: GeocoderStandIn
  let stop: AbortController

  beforeEach(async () => {
    testDatabase = await createTestDatabase()
    database = openDatabase({ url: testDatabase.url })
    standIn = await startGeocoderStandIn(nominatimReply)
    stop = new AbortController()
  })
  afterEach(async () => {
    stop.abort()
    await standIn.stop()
    await database.close()
    await testDatabase.drop()
  })

  /** A node of the service. */
  function node(budget = 60_000, timeoutMs = 60_000): GeocoderQueue {
    const geocoder = new Geocoder({ url: standIn.url, kind: 'nominatim', timeoutMs })
    return new GeocoderQueue({ database, geocoder, budget, log: pino({ level: 'silent' }) })
  }

  async function askAll(queue = node()): Promise<void> {
    while (await queue.askOne(stop.signal));
  }

  /** Trips end there, and the gazetteer has said what it knows. */
  async function arriveAt(...positions: Position[]): Promise<number[]> {
    const ids = await writeTransaction(database, transaction => ensureAddresses(transaction, positions))
    await fillWaitingAddresses(database)
    return ids
  }

  const partOf = async (id: number | undefined, part: string, language = 'de') => {
    const [row] = await database.rows<{ text: string | null }>(
      sql`select texts -> ${language}::text ->> ${part}::text as text from addresses where id = ${id}`,
    )
    return row?.text ?? ''
  }
  const roadOf = (id: number | undefined) => partOf(id, 'road')

  /** What waits for its time may be asked about now. */
  async function timePasses(): Promise<void> {
    await writeTransaction(database, async transaction => {
      await transaction.rows(sql`update addresses set ask_after = clock_timestamp() where ask_after > '-infinity'`)
      await transaction.rows(sql`delete from sweeps where name = 'geocoder'`)
    })
  }
  const pauseS = async () => {
    const [row] = await database.rows<{ pause: number }>(
      sql`select extract(epoch from last_run - clock_timestamp())::float8 as pause from sweeps where name = 'geocoder'`,
    )
    return row?.pause ?? 0
  }

  it('have the texts of the gazetteer at once, and the road when it answered, in both languages', async () => {
    const [house] = await arriveAt(HOUSE)
    expect(await partOf(house, 'locality')).toBe('München')
    expect(await roadOf(house)).toBe('')
    await askAll()
    expect(await roadOf(house)).toBe('Rosenheimer Straße')
    expect(await partOf(house, 'postcode', 'en')).toBe('81671')
    expect([await partOf(house, 'locality', 'en'), await partOf(house, 'locality')]).toEqual(['Munich', 'München'])
    expect(standIn.requests).toHaveLength(2)
    await askAll()
    expect(standIn.requests).toHaveLength(2)
  })

  it('share the answer of their cell, whether they came before or after it', async () => {
    const ids = await arriveAt(HOUSE, DOOR)
    await askAll()
    const [later] = await arriveAt({ lat: 48.12749, lon: 11.60551 })
    expect(await Promise.all([...ids, later].map(roadOf))).toEqual(Array(3).fill('Rosenheimer Straße'))
    await askAll()
    expect(standIn.requests).toHaveLength(2)
  })

  it('are asked about the newest first, after those that were never asked about', async () => {
    standIn.answer = () => UNABLE_TO_GEOCODE
    await arriveAt(HOUSE)
    await askAll()
    await timePasses()
    await arriveAt(ELSEWHERE, { lat: 48.16, lon: 11.6 })
    await askAll()
    expect(standIn.requests.slice(1).map(({ parameters }) => parameters.lat)).toEqual(['48.16', '48.15', '48.1275'])
  })

  it('of a city state keep the state that the gazetteer knows', async () => {
    standIn.answer = () => ({ body: { address: { road: 'Adalbertstraße', city: 'Berlin', country: 'Deutschland' } } })
    const [kreuzberg] = await arriveAt({ lat: 52.4986, lon: 13.4034 })
    await askAll()
    expect(await roadOf(kreuzberg)).toBe('Adalbertstraße')
    expect(await partOf(kreuzberg, 'state')).toBe('Berlin')
    expect(await partOf(kreuzberg, 'suburb')).toBe('')
  })

  it('that it does not know keep those of the gazetteer, and are asked about again much later', async () => {
    standIn.answer = () => UNABLE_TO_GEOCODE
    const [house, elsewhere] = await arriveAt(HOUSE, ELSEWHERE)
    await askAll()
    expect(standIn.requests).toHaveLength(2)
    expect(await partOf(house, 'locality')).toBe('München')
    standIn.answer = nominatimReply
    await askAll()
    expect(standIn.requests).toHaveLength(2)
    await timePasses()
    await askAll()
    expect(await Promise.all([house, elsewhere].map(roadOf))).toEqual(Array(2).fill('Rosenheimer Straße'))
  })

  it('wait twice as long after each failure', async () => {
    standIn.answer = () => UNABLE_TO_GEOCODE
    const [house] = await arriveAt(HOUSE)
    const waits = []
    for (let failure = 0; failure < 3; failure++) {
      await timePasses()
      await askAll()
      const [row] = await database.rows<{ minutes: number }>(sql`
        select round(extract(epoch from ask_after - clock_timestamp()) / 60)::integer as minutes
        from addresses where id = ${house}`)
      waits.push(row?.minutes)
    }
    expect(waits).toEqual([1, 2, 4])
  })

  it('keep waiting while the server is in trouble, which is left alone for longer and longer', async () => {
    const [house] = await arriveAt(HOUSE)
    const queue = node(60_000, 2_000)
    const troubles = [
      { body: 'not JSON' },
      { status: 500, body: '' },
      { ...nominatimReply(standIn.requests[0] ?? NO_REQUEST), delayMs: 60_000 },
    ]
    const pauses = []
    for (const trouble of troubles) {
      standIn.answer = () => trouble
      await timePasses()
      await queue.askOne(stop.signal)
      pauses.push(Math.round(await pauseS()))
    }
    expect(pauses).toEqual([1, 2, 4])
    expect(await partOf(house, 'locality')).toBe('München')
    standIn.answer = nominatimReply
    await timePasses()
    await askAll(queue)
    expect(await roadOf(house)).toBe('Rosenheimer Straße')
  })

  it('are not asked about before the time that the server names, by any node', async () => {
    standIn.answer = () => ({ status: 429, headers: { 'retry-after': '600' }, body: '' })
    await arriveAt(HOUSE, ELSEWHERE)
    await node().askOne(stop.signal)
    expect(await pauseS()).toBeGreaterThan(590)
    const other = node().askOne(stop.signal)
    await expect(Promise.race([other, new Promise(resolve => setTimeout(resolve, 200, 'waits'))])).resolves.toBe(
      'waits',
    )
    expect(standIn.requests).toHaveLength(1)
    stop.abort()
    expect(await other).toBe(false)
  })

  it('are asked about by several nodes within one budget, each once', async () => {
    const places = Array.from({ length: 6 }, (_, index) => ({ lat: 48 + index / 100, lon: 11 }))
    const ids = await arriveAt(...places)
    const everyMs = 50
    const startMs = performance.now()
    await Promise.all([1, 2, 3].map(() => askAll(node(60_000 / everyMs))))
    expect(await Promise.all(ids.map(roadOf))).toEqual(Array(6).fill('Rosenheimer Straße'))
    expect(standIn.requests).toHaveLength(12)
    // The twelfth turn is eleven intervals after the first; a request comes at its turn or later.
    expect(standIn.requests.at(-1)?.atMs).toBeGreaterThan(startMs + 11 * everyMs - TIMER_MS)
  })

  it('are asked about by the next process when this one is stopped in the midst of it', async () => {
    standIn.answer = request => ({ ...nominatimReply(request), delayMs: 60_000 })
    const [house] = await arriveAt(HOUSE)
    const asking = node().askOne(stop.signal)
    await expect.poll(() => standIn.requests.length).toBe(1)
    stop.abort()
    await asking
    expect(await roadOf(house)).toBe('')
    stop = new AbortController()
    standIn.answer = nominatimReply
    await askAll()
    expect(await roadOf(house)).toBe('Rosenheimer Straße')
  })
})

/** A timer may be early by a fraction of a millisecond, and the database rounds. */
const TIMER_MS = 5

const NO_REQUEST = { path: '', parameters: {}, headers: {}, atMs: 0 }
