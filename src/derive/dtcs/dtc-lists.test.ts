import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { anyOrder } from '../../../test/any-sample.ts'
import { openTestDatabase } from '../../../test/database.ts'
import { deep } from '../../../test/deep.ts'
import { storeSamples } from '../../../test/sample-store.ts'
import { ensureFirstAccount } from '../../access/accounts.ts'
import { type EventTypeId, requiredEventType } from '../../catalogue/event-types.ts'
import { lockDevices } from '../../db/shards.ts'
import { sql } from '../../db/sql.ts'
import { writeTransaction } from '../../db/transaction.ts'
import { type DeviceId, type EventValue, type Sample, sampleOf } from '../../model/sample.ts'
import { Partitions } from '../../store/index.ts'
import { type DeviceRecord, readDeviceRecords } from '../device-records.ts'
import { changedDtcLists, rederiveDtcs } from './stored-dtcs.ts'

const PERMANENT = requiredEventType('OBD_DTC_PERMANENT').id
const SPORADIC = requiredEventType('OBD_DTC_SPORADIC').id
const SPEED = requiredEventType('GPS_SPEED').id

const HOUR_MS = 3_600_000
const BASE_MS = Date.UTC(2025, 5, 2)
const hour = (number: number) => BASE_MS + number * HOUR_MS
/** Halfway through what the properties generate. */
const MOVED_HOUR = 100
const LAST_HOUR = 200
/** Weeks that ended before are dropped. */
const KEPT_HOUR = -600

let devices = 0

const database = await openTestDatabase()
const accountId = (await writeTransaction(database, ensureFirstAccount)).id
const weeks = Array.from({ length: 9 }, (_, week) => hour(-1100 + week * 168))
await new Partitions(database).ensure(weeks)

/** A dongle that has reported, but no codes. */
async function newDevice(): Promise<DeviceId> {
  const deviceId = ++devices as DeviceId
  await store(sampleOf(deviceId, hour(-1), new Map([[SPEED, 0]])))
  return deviceId
}

async function store(...samples: readonly Sample[]): Promise<void> {
  await storeSamples({ database, accountId }, samples)
}

/** Puts the dongle into another car from an hour on. */
async function move(deviceId: DeviceId, atHour: number): Promise<void> {
  const at = new Date(hour(atHour)).toISOString()
  await writeTransaction(database, async transaction => {
    await lockDevices(transaction, [deviceId])
    const [vehicle] = await transaction.rows<{ id: number }>(sql`
      insert into vehicles (account_id, first_device_id, vin, modified)
      values (${accountId}, ${deviceId}, ${`WVWZZ${String(deviceId).padStart(12, '0')}`}, ${await transaction.takeRevisions(1)})
      returning id`)
    await transaction.rows(sql`update assignments set to_time = ${at} where device_id = ${deviceId}`)
    await transaction.rows(sql`
      insert into assignments (device_id, account_id, vehicle_id, from_time)
      values (${deviceId}, ${accountId}, ${vehicle?.id}, ${at})`)
  })
}

async function differencesOf(deviceId: DeviceId): Promise<number> {
  return writeTransaction(database, async transaction => {
    const locked = await lockDevices(transaction, [deviceId])
    const record = (await readDeviceRecords(transaction, [deviceId])).get(deviceId)
    return (await rederiveDtcs(locked.device(deviceId), record?.assignments ?? [])).length
  })
}

interface Row {
  readonly id: number
  readonly said: string
  readonly is_retracted: boolean
  readonly modified: string
}

/** The rows of a device by their texts: everything but ids, revisions and which car it is. */
async function rowsOf(deviceId: DeviceId): Promise<Row[]> {
  return database.rows<Row>(sql`
    select d.id, d.is_retracted, d.modified, concat_ws(' ', case when v.vin is null then 'first' else 'second' end,
      dtc_type, frame_list, ecu_type_id, code, encoded, encoding,
      round(extract(epoch from d.recorded - ${new Date(BASE_MS).toISOString()}::timestamptz) / 3600, 3)::text || '-' ||
      coalesce(round(extract(epoch from d.deleted - ${new Date(BASE_MS).toISOString()}::timestamptz) / 3600, 3)::text, '')
    ) as said
    from dtcs d join vehicles v on v.id = d.vehicle_id where d.device_id = ${deviceId} order by said, d.id`)
}

const saidOf = (rows: readonly Row[]) => rows.filter(row => !row.is_retracted).map(row => row.said)
const codesOf = async (deviceId: DeviceId) => saidOf(await rowsOf(deviceId))

describe('lists of codes', () => {
  const list = (deviceId: DeviceId, atHour: number, text: string, type = PERMANENT) =>
    sampleOf(deviceId, hour(atHour), new Map([[type, text]]))
  const permanentCatalyst = (interval: string) => `first PERMANENT 1 P0420 P0420 PCODE ${interval}`
  const permanent = (interval: string, encoded = 'P0301') => `first PERMANENT 1 P0301 ${encoded} PCODE ${interval}`

  it('make codes that are current until a later list is without them', async () => {
    const device = await newDevice()
    await store(list(device, 1, 'P0301'))
    expect(await codesOf(device)).toEqual([permanent('1.000-')])
    await store(list(device, 2, 'P0301'), list(device, 3, ''))
    expect(await codesOf(device)).toEqual([permanent('1.000-3.000')])
    await store(list(device, 4, 'P0301'))
    expect(await codesOf(device)).toEqual([permanent('1.000-3.000'), permanent('4.000-')])
  })

  it('of the one kind do not end codes of the other', async () => {
    const device = await newDevice()
    await store(list(device, 1, 'P0301'), list(device, 2, '', SPORADIC), list(device, 3, 'P0301', SPORADIC))
    await store(list(device, 4, ''))
    expect(await codesOf(device)).toEqual([permanent('1.000-4.000'), 'first SPORADIC 1 P0301 P0301 PCODE 3.000-'])
  })

  it('that come late move a start and an end, under the same id', async () => {
    const device = await newDevice()
    await store(list(device, 5, 'P0301'))
    await store(list(device, 9, ''))
    const [before] = await rowsOf(device)
    await store(list(device, 3, 'P0301'))
    await store(list(device, 7, ''))
    const after = await rowsOf(device)
    expect(after.map(({ id, said }) => ({ id, said }))).toEqual([{ id: before?.id, said: permanent('3.000-7.000') }])
    expect((after[0]?.modified ?? '') > (before?.modified ?? '')).toBe(true)
  })

  it('that come late split a code in two, and merge it again when they are corrected', async () => {
    const device = await newDevice()
    await store(list(device, 1, 'P0301'))
    const [first] = await rowsOf(device)
    await store(list(device, 5, 'P0301'))
    await store(list(device, 3, ''))
    expect(await codesOf(device)).toEqual([permanent('1.000-3.000'), permanent('5.000-')])
    // Of two texts for one instant the greater one counts.
    await store(list(device, 3, 'P0301'))
    const rows = await rowsOf(device)
    expect(saidOf(rows)).toEqual([permanent('1.000-')])
    expect(rows.filter(row => !row.is_retracted).map(row => row.id)).toEqual([first?.id])
    expect(rows.filter(row => row.is_retracted).map(row => row.said)).toEqual([permanent('5.000-5.000')])
  })

  it('that say what is known write nothing, early or late', async () => {
    const device = await newDevice()
    await store(list(device, 1, 'P0301'), list(device, 5, 'P0301,P0420'), list(device, 9, ''))
    const before = await rowsOf(device)
    await store(list(device, 3, '0301'), list(device, 7, 'P0420;P0301'), list(device, 10, ''))
    await store(list(device, 5, 'P0301,P0420'))
    expect(await rowsOf(device)).toEqual(before)
  })

  it('keep a freeze frame beside its code, for each kind of list', async () => {
    const device = await newDevice()
    await store(list(device, 1, 'P0301 FF:P0301'), list(device, 2, 'FF:P0301', SPORADIC))
    await store(list(device, 3, 'P0301'))
    expect(await codesOf(device)).toEqual([
      'first FREEZEFRAME PERMANENT 1 P0301 P0301 PCODE 1.000-3.000',
      'first FREEZEFRAME SPORADIC 1 P0301 P0301 PCODE 2.000-',
      permanent('1.000-'),
    ])
  })

  it('belong to the car that the dongle was in: the old one keeps its codes, the new one starts again', async () => {
    const device = await newDevice()
    await move(device, MOVED_HOUR)
    await store(list(device, 1, 'P0301'))
    await store(list(device, 101, 'P0301'), list(device, 102, ''))
    expect(await codesOf(device)).toEqual([permanent('1.000-'), 'second PERMANENT 1 P0301 P0301 PCODE 101.000-102.000'])
  })

  it('are told apart in one batch of many dongles', async () => {
    const pair = [await newDevice(), await newDevice()]
    await store(...pair.flatMap((device, index) => [list(device, 1 + index, 'P0301'), list(device, 5 - index, '')]))
    expect(await Promise.all(pair.map(codesOf))).toEqual([[permanent('1.000-5.000')], [permanent('2.000-4.000')]])
  })

  it('are read again when the assignments change', async () => {
    const device = await newDevice()
    await store(list(device, 1, 'P0301'), list(device, 101, 'P0301'), list(device, 102, ''))
    expect(await differencesOf(device)).toBe(0)
    await move(device, MOVED_HOUR)
    expect(await differencesOf(device)).toBeGreaterThan(0)
    expect(await codesOf(device)).toEqual([permanent('1.000-'), 'second PERMANENT 1 P0301 P0301 PCODE 101.000-102.000'])
    expect(await differencesOf(device)).toBe(0)
  })

  it('that were dropped with their weeks leave their codes, whatever comes from those weeks', async () => {
    const device = await newDevice()
    await store(list(device, -1000, 'P0301'), list(device, -998, 'P0301 P0420'), list(device, -400, 'P0420'))
    const before = await codesOf(device)
    expect(before).toEqual(['first PERMANENT 1 P0301 P0301 PCODE -1000.000--400.000', permanentCatalyst('-998.000-')])
    expect(await new Partitions(database).dropBefore(hour(KEPT_HOUR))).not.toEqual([])

    expect(await differencesOf(device)).toBe(0)
    await new Partitions(database).ensure([hour(-900)])
    await store(list(device, -900, ''))
    expect(await codesOf(device)).toEqual(before)
    await store(list(device, -500, ''))
    expect(await codesOf(device)).toEqual([
      'first PERMANENT 1 P0301 P0301 PCODE -1000.000--500.000',
      permanentCatalyst('-400.000-'),
      permanentCatalyst('-998.000--500.000'),
    ])
    expect(await differencesOf(device)).toBe(0)
  })
})

describe('the lists of a batch that have to be looked at', () => {
  const device = 1 as DeviceId
  const assignment = { accountId: 1, vehicleId: 7, fromMs: hour(0), toMs: Number.POSITIVE_INFINITY }
  const record = (newestHour: number, text: string): DeviceRecord => ({
    deviceId: device,
    isOnline: true,
    isPluggedIn: null,
    isClaimed: false,
    extent: undefined,
    assignments: [assignment],
    othersUntilMs: new Map(),
    movesMs: [],
    rules: { assignments: [] },
    contextKey: '',
    latestByVehicle: new Map([[7, new Map([[PERMANENT, { timeMs: hour(newestHour), value: text }]])]]),
    fold: undefined,
    trip: undefined,
  })
  const list = (atHour: number, text: string) => sampleOf(device, hour(atHour), new Map([[PERMANENT, text]]))
  const select = (before: DeviceRecord, ...samples: readonly Sample[]) =>
    changedDtcLists([{ record: before, samples }]).map(({ lists, newestMs }) => ({
      lists: lists.map(({ timeMs, codes }) => [timeMs, codes?.map(({ code }) => code).join()]),
      newestMs,
    }))

  it('are none of those that say what the newest one said', () => {
    expect(select(record(1, 'P0301'), list(2, 'P0301'), list(3, 'P0301'))).toEqual([])
    expect(select(record(1, ''), list(2, ''))).toEqual([])
    // A dongle that comes back to a car has said nothing there yet.
    expect(select(record(-1, 'P0301'), list(2, ''))).toEqual([])
  })

  it('are those that say something else', () => {
    expect(select(record(1, 'P0301'), list(2, 'P0301'), list(3, 'P0420'), list(4, ''), list(5, ''))).toEqual([
      {
        lists: [
          [hour(3), 'P0420'],
          [hour(4), ''],
        ],
        newestMs: hour(1),
      },
    ])
    expect(select(record(-1, 'P0301'), list(2, 'P0301'))).toEqual([
      { lists: [[hour(2), 'P0301']], newestMs: undefined },
    ])
  })

  it('are all late ones, and the newest one whose text changed', () => {
    expect(select(record(5, 'P0301'), list(2, 'P0301'))).toEqual([{ lists: [[hour(2), 'P0301']], newestMs: hour(5) }])
    expect(select(record(5, 'P0301'), list(5, 'P0420'))).toEqual([{ lists: [[hour(5), 'P0420']], newestMs: hour(5) }])
  })
})

const anyText = fc.subarray(['P0301', '0301', '7E9:P0301', 'P0420', 'FF:P0420', 'nonsense']).map(codes => codes.join())

/** What a dongle sends, as instants in hours with their lists: some instants twice, with other texts. */
const anyReports = fc.array(
  fc.record({
    // Near one another and days apart, in both cars.
    atHour: fc.oneof(fc.integer({ min: 0, max: 6 }), fc.integer({ min: 0, max: LAST_HOUR })),
    permanent: fc.option(anyText, { nil: undefined }),
    sporadic: fc.option(anyText, { nil: undefined }),
  }),
  { minLength: 1, maxLength: 14 },
)

const anySending = anyReports.chain(reports =>
  fc.record({
    reports: fc.constant(reports),
    shuffled: anyOrder(reports),
    /** How many reports each batch holds. */
    sizes: fc.array(fc.integer({ min: 1, max: 5 }), { minLength: 14, maxLength: 14 }),
    repeated: fc.subarray(reports),
  }),
)

type Report = typeof anyReports extends fc.Arbitrary<(infer Item)[]> ? Item : never

function sampleOfReport(deviceId: DeviceId, { atHour, permanent, sporadic }: Report): Sample {
  const events: [EventTypeId, EventValue | undefined][] = [
    [SPEED, 0],
    [PERMANENT, permanent],
    [SPORADIC, sporadic],
  ]
  return sampleOf(
    deviceId,
    hour(atHour),
    new Map(events.filter((event): event is [EventTypeId, EventValue] => event[1] !== undefined)),
  )
}

it('the order in which lists arrive makes no difference: shuffled, in pieces and twice they give the same codes as in order', async () => {
  await fc.assert(
    fc.asyncProperty(anySending, async ({ reports, shuffled, sizes, repeated }) => {
      const inOrder = await newDevice()
      const disordered = await newDevice()
      for (const device of [inOrder, disordered]) await move(device, MOVED_HOUR)
      for (const report of [...reports].sort((a, b) => a.atHour - b.atHour))
        await store(sampleOfReport(inOrder, report))
      const sent = [...shuffled, ...repeated].map(report => sampleOfReport(disordered, report))
      for (const size of sizes) if (sent.length > 0) await store(...sent.splice(0, size))
      while (sent.length > 0) await store(...sent.splice(0, 5))

      expect(await codesOf(disordered)).toEqual(await codesOf(inOrder))
      expect(await differencesOf(inOrder)).toBe(0)
      expect(await differencesOf(disordered)).toBe(0)
      const revisions = (await rowsOf(disordered)).map(row => row.modified)
      expect(new Set(revisions).size).toBe(revisions.length)
    }),
    { numRuns: deep(12) },
  )
})
