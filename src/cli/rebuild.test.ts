import { Command } from 'commander'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { IS_DEEP } from '../../test/deep.ts'
import { type Disorder, type Scenario, uploadsOf } from '../../test/order/scenario.ts'
import { send } from '../../test/order/send.ts'
import { type Packet, packetsOf } from '../../test/order/uploads.ts'
import { startService, type TestService } from '../../test/service.ts'
import { settled } from '../../test/settled.ts'
import { requiredEventType } from '../catalogue/event-types.ts'
import { Partitions } from '../store/index.ts'
import { registerRebuild } from './rebuild.ts'

type Upload = Omit<Scenario, 'disorder'> & { readonly disorder: Disorder | 'in order' }

const UPLOAD: Upload = {
  seed: 3,
  from: '2025-03-04T05:00Z',
  dongles: ['ignition'],
  drivesByCar: IS_DEEP ? [2, 2] : [1, 1],
  sharesCars: false,
  ridesAlong: false,
  disturbances: ['gpsNoise', 'tunnels', 'ignitionFlicker', 'reboots'],
  packetSize: 100,
  inPieces: 0.2,
  disorder: 'in order',
  repeated: 0.2,
  connections: 2,
  rests: 0,
}
const DAY_MS = 24 * 3_600_000

let service: TestService
let key: string
let lastDevice = 1000

/** `tacho rebuild` goes through all that there is, so what other tests left would only take time. */
function onServiceOfItsOwn(): void {
  beforeAll(async () => {
    service = await startService()
    key = await service.key('Fleet')
  })
  afterAll(() => service.stop())
}

afterEach(() => {
  vi.unstubAllEnvs()
  vi.restoreAllMocks()
  process.exitCode = undefined
})

function packetsFor({ disorder, ...wishes }: Upload, firstDevice: number): readonly Packet[] {
  if (disorder !== 'in order') return uploadsOf({ ...wishes, disorder }, { firstDevice }).parts.flat()
  const { inOrder } = uploadsOf({ ...wishes, disorder: 'shuffled' }, { firstDevice })
  return inOrder.flatMap(samples => packetsOf(samples, wishes.packetSize))
}

/** Dongles of their own. @returns the id of the first one */
async function upload(wishes: Partial<Upload> = {}): Promise<number> {
  const scenario = { ...UPLOAD, ...wishes }
  const firstDevice = lastDevice + 1
  lastDevice += scenario.dongles.length
  await send(packetsFor(scenario, firstDevice), { urls: [service.url], key, connections: scenario.connections })
  await settled(service.database)
  return firstDevice
}

interface Ended {
  readonly lines: readonly string[]
  /** undefined is 0. */
  readonly exitCode: number | undefined
}

async function tachoRebuild(...options: readonly string[]): Promise<Ended> {
  const lines: string[] = []
  vi.stubEnv('DATABASE_URL', service.config.databaseUrl)
  vi.spyOn(console, 'log').mockImplementation((line: string) => void lines.push(line))
  process.exitCode = undefined
  const program = new Command().exitOverride().configureOutput({ writeErr: () => undefined })
  registerRebuild(program)
  await program.parseAsync(['rebuild', ...options], { from: 'user' })
  return { lines, exitCode: process.exitCode as number | undefined }
}

const SAME: Ended = { lines: ['no differences'], exitCode: undefined }

async function answerTo(path: string): Promise<Record<string, object[]>> {
  const reply = await fetch(service.baseUrl + path, { headers: { authorization: `Bearer ${key}` } })
  expect(reply.status).toBe(200)
  return (await reply.json()) as Record<string, object[]>
}

/** What clients read of a device and its vehicles. */
async function readAll(deviceId: number, query = '&includeDeleted=true') {
  // Of a list, this revision is only the time of the question.
  const answer = async (path: string): Promise<Record<string, object[]>> => ({
    ...(await answerTo(path)),
    modifyTimestamp: [],
  })
  return {
    trips: await answer(`/trips?deviceId=${deviceId}${query}`),
    dtcs: await answer(`/dtcs?deviceId=${deviceId}${query}`),
    vehicles: await answer(`/vehicles?deviceId=${deviceId}`),
    days: await answer('/aggregations?binSize=DAY&bin=VEHICLE'),
    fleet: await answer('/aggregations?binSize=DAY'),
  }
}

/** What clients show: ids and revisions may be new ones, and what is deleted is left out. */
async function shownOf(deviceId: number): Promise<string> {
  return JSON.stringify(await readAll(deviceId, '')).replaceAll(/"(modifyTimestamp|id)":"[\d-][^"]*"/g, '')
}

type Damage = readonly [what: string, statement: () => string, said: RegExp]

const damage = (statement: string) => service.database.writers.query(statement)

describe('after an upload that nothing disturbed afterwards', () => {
  onServiceOfItsOwn()

  it.each<[string, Partial<Upload>]>([
    ['in order', {}],
    ['shuffled', { disorder: 'shuffled' }],
    ['live first, by motion', { disorder: 'live first', dongles: ['motion'] }],
    [
      'by engine, two dongles in the same cars',
      { dongles: ['engine', 'ignition'], sharesCars: true, drivesByCar: [1, 1, 1] },
    ],
    [
      'with everything that happens to dongles',
      { disorder: 'iot', disturbances: ['drift', 'zeroFixes', 'teleports', 'deaths', 'unplugged', 'hoursBack'] },
    ],
  ])('there are no differences: %s', async (_name, wishes) => {
    const deviceId = await upload({ ...wishes, seed: lastDevice })
    const before = await readAll(deviceId)
    expect(await tachoRebuild()).toEqual(SAME)
    // Not even a revision moved.
    expect(await readAll(deviceId)).toEqual(before)
  })
})

describe('how far histories are folded again after an upgrade', () => {
  onServiceOfItsOwn()

  it('is told by --status, which goes with no other option', async () => {
    await upload({ drivesByCar: [1] })
    const { lines, exitCode } = await tachoRebuild('--status')
    expect(lines).toEqual([
      expect.stringMatching(/^folded by the rules of this version: (\d+) of \1 devices; nothing waits$/),
    ])
    expect(exitCode).toBeUndefined()
    await expect(tachoRebuild('--status', '--check')).rejects.toThrow(/cannot be used with/)
  })
})

describe('while cars drive', () => {
  onServiceOfItsOwn()

  it('there are no differences, and the trips stay in progress', async () => {
    const firstDevice = lastDevice + 1
    lastDevice += 3
    const { disorder: _, ...wishes } = { ...UPLOAD, seed: 21, dongles: ['ignition', 'engine', 'motion'] as const }
    const { inOrder } = uploadsOf({ ...wishes, disorder: 'shuffled' }, { firstDevice, untilMs: Date.now() - 1000 })
    const packets = inOrder.flatMap(samples => packetsOf(samples, 100))
    await send(packets, { urls: [service.url], key, connections: 1 })
    await settled(service.database)
    const driving = () => answerTo(`/devices?deviceIds=${firstDevice},${firstDevice + 1}`)
    const { devices } = await driving()
    expect(devices?.map(device => 'tripId' in device && device.tripId !== '')).toContain(true)
    expect(await tachoRebuild()).toEqual(SAME)
    expect((await driving()).devices).toEqual(devices)
  })
})

describe('what was damaged', () => {
  onServiceOfItsOwn()

  let deviceId: number
  beforeAll(async () => {
    deviceId = await upload({ seed: 77, disorder: 'shuffled', drivesByCar: [2, 1] })
  })

  const MILEAGE = requiredEventType('MILEAGE').id
  const firstTrip = () => `(select min(id) from trips where device_id = ${deviceId} and deleted is null)`
  const vehicle = () => `(select vehicle_id from assignments where device_id = ${deviceId} and to_time = 'infinity')`

  /** Those that do not touch one another are made together, and in deep runs each alone. */
  const DAMAGES: readonly (readonly Damage[])[] = [
    [
      [
        'the length of a trip',
        () => `update trips set distance_m = distance_m + 5000 where id = ${firstTrip()}`,
        /trip \d+: distance_m was \d+, is \d+/,
      ],
      [
        'a code that ended',
        () =>
          `update dtcs set deleted = recorded + interval '1 minute' where device_id = ${deviceId} and deleted is null`,
        /code \d+: deleted was 2025.*, is nothing/,
      ],
      [
        'a latest value',
        () =>
          `update latest_values set times[array_position(types, ${MILEAGE}::smallint)] = 1 where device_id = ${deviceId} and vehicle_id = ${vehicle()}`,
        /latest MILEAGE in VIN\w+: time was 1970/,
      ],
      [
        'the firmware',
        () => `update devices set firmware_version = 'none' where id = ${deviceId}`,
        /device: firmware_version was none, is 4\.2\.1/,
      ],
    ],
    [
      [
        'the length of the last trip',
        () => `update trips set distance_m = 1 where id = (
          select id from trips where device_id = ${deviceId} and deleted is null order by start_time desc limit 1)`,
        /trip \d+: distance_m was 1, is \d+/,
      ],
      [
        'another code',
        () =>
          `update dtcs set code = 'P0999' where id = (select min(id) from dtcs where device_id = ${deviceId} and not is_retracted)`,
        /code \d+: .*retracted was false, is true/,
      ],
      [
        'all latest values of a car',
        () => `delete from latest_values where device_id = ${deviceId} and vehicle_id = ${vehicle()}`,
        /latest VIN in VIN\w+: was missing/,
      ],
    ],
    [
      ['a route', () => `update trips set polyline = '_p~iF' where id = ${firstTrip()}`, /trip \d+: route was/],
      [
        'the statistics of a car',
        () => `update vehicle_days set metres_sum = metres_sum + 1 where vehicle_id = ${vehicle()}`,
        /day 2025-03-\d\d of VIN\w+: metres_sum was \d+, is \d+/,
      ],
    ],
    [
      [
        'a trip that lost its end',
        () => `update trips set end_time = start_time + interval '1 second' where id = ${firstTrip()}`,
        /trip \d+: end was/,
      ],
      [
        'a day that is missing',
        () => `delete from vehicle_days where vehicle_id = ${vehicle()}`,
        /day 2025-03-\d\d of VIN\w+: was missing/,
      ],
      [
        'checkpoints',
        () =>
          `delete from fold_checkpoints where device_id = ${deviceId} and before_time = (select max(before_time) from fold_checkpoints where device_id = ${deviceId})`,
        /checkpoint .*: was missing/,
      ],
    ],
    [
      [
        'a trip in another car',
        () => `update trips set vehicle_id = ${vehicle()} where id = ${firstTrip()}`,
        /trip \d+: was missing/,
      ],
      [
        'the statistics of an account',
        () => 'update account_days set seconds_sum = seconds_sum + 1',
        /account \d+ day 2025-\d\d-\d\d: was \d+ trips, \d+ m, \d+ s, is/,
      ],
    ],
    [
      [
        'a trip too many',
        () => `insert into trips (device_id, account_id, vehicle_id, start_time, end_time, distance_m, duration_s, modified)
          select device_id, account_id, vehicle_id, start_time - interval '20 days', end_time - interval '20 days', 1000, 60, now() from trips where id = ${firstTrip()}`,
        /trip \d+: .*deleted was false, is true/,
      ],
      ['VIN readings', () => `delete from vin_runs where device_id = ${deviceId}`, /VIN read from .*: was missing/],
    ],
    [
      [
        'when a dongle was in which car',
        () =>
          `update assignments set from_time = from_time + interval '1 hour' where device_id = ${deviceId} and to_time = 'infinity'`,
        /assignment from/,
      ],
      [
        'where the fold stands',
        () =>
          `update device_states set trip_id = null, trip_start = null, fold = (select state from fold_checkpoints where device_id = ${deviceId} order by before_time limit 1) where device_id = ${deviceId}`,
        /state of the fold: state was/,
      ],
    ],
  ]

  it.each(
    (IS_DEEP ? DAMAGES.flat().map(each => [each]) : DAMAGES).map(damages => ({
      what: damages.map(([what]) => what).join(', and '),
      damages,
    })),
  )('$what: all is found, told and repaired', async ({ damages }) => {
    const right = await shownOf(deviceId)
    for (const [, statement] of damages) expect((await damage(statement())).rowCount).toBeGreaterThan(0)
    const damaged = await shownOf(deviceId)

    const check = await tachoRebuild('--check')
    for (const [, , said] of damages) expect(check.lines.slice(0, -1)).toContainEqual(expect.stringMatching(said))
    expect(check.lines.at(-1)).toMatch(/^\d+ differences?, left as they are$/)
    expect(check.exitCode).toBe(1)
    expect(await shownOf(deviceId)).toBe(damaged)

    const rebuilt = await tachoRebuild()
    expect(rebuilt.exitCode).toBe(1)
    expect(rebuilt.lines.at(-1)).toMatch(/^\d+ differences?, corrected$/)
    await settled(service.database)
    expect(await tachoRebuild()).toEqual(SAME)
    expect(await shownOf(deviceId)).toBe(right)
  })

  it('a syncing client is told of what was corrected', async () => {
    const read = async (path: string) => {
      const reply = await fetch(service.baseUrl + path, { headers: { authorization: `Bearer ${key}` } })
      return (await reply.json()) as { trips: { id: string }[]; modifyTimestamp: string }
    }
    const { trips, modifyTimestamp } = await read(`/trips?deviceId=${deviceId}`)
    await damage(`update trips set distance_m = 1 where id = ${trips[1]?.id}`)
    await tachoRebuild('--device', String(deviceId))
    const changed = await read(`/trips?deviceId=${deviceId}&filterTimestamp=${modifyTimestamp}`)
    expect(changed.trips.map(trip => trip.id)).toEqual([trips[1]?.id])
  })

  it('of another device is left alone when one is named; an unknown one is refused', async () => {
    const other = await upload({ seed: 5 })
    await damage(`update trips set distance_m = 1 where device_id = ${other}`)
    expect(await tachoRebuild('--device', String(deviceId))).toEqual(SAME)
    expect((await tachoRebuild('--device', String(other))).exitCode).toBe(1)
    await expect(tachoRebuild('--device', '9999999')).rejects.toThrow('There is no device 9999999.')
    await expect(tachoRebuild('--device', 'x')).rejects.toThrow(/IMEI/)
  })
})

describe('beside an upload', () => {
  onServiceOfItsOwn()

  it('what arrives meanwhile is no difference', async () => {
    const uploading = upload({ seed: 9, disorder: 'shuffled', dongles: ['ignition', 'engine', 'motion'] })
    const found: string[] = []
    const stop = new AbortController()
    const rebuilding = (async () => {
      while (!stop.signal.aborted) found.push(...(await tachoRebuild()).lines)
    })()
    await uploading
    stop.abort()
    await rebuilding
    expect(new Set(found)).toEqual(new Set(['no differences']))
    await settled(service.database)
    expect(await tachoRebuild()).toEqual(SAME)
  })
})

describe('where old weeks were dropped', () => {
  onServiceOfItsOwn()

  /** Mondays. */
  const FIRST_WEEK = Date.UTC(2023, 0, 2)
  const SECOND_WEEK = FIRST_WEEK + 7 * DAY_MS

  async function twoWeeks(disorder: Upload['disorder']) {
    const firstDevice = lastDevice + 1
    lastDevice++
    const wishes = { ...UPLOAD, seed: firstDevice, disorder, drivesByCar: [3] }
    for (const week of [FIRST_WEEK, SECOND_WEEK]) {
      const from = new Date(week + DAY_MS).toISOString()
      await send(packetsFor({ ...wishes, from }, firstDevice), { urls: [service.url], key, connections: 1 })
    }
    await settled(service.database)
    return firstDevice
  }

  async function dropBefore(timeMs: number) {
    const samplesBefore = async () => {
      const { rows } = await service.database.writers.query<{ count: string }>(
        'select count(*) from samples where time < $1',
        [new Date(timeMs)],
      )
      return Number(rows[0]?.count)
    }
    expect(await samplesBefore()).toBeGreaterThan(0)
    await new Partitions(service.database).dropBefore(timeMs)
    expect(await samplesBefore()).toBe(0)
  }

  it('trips, codes and latest values of that time stay as they are, also when more of it arrives late', async () => {
    const deviceId = await twoWeeks('shuffled')
    const before = await readAll(deviceId)
    expect(before.trips.trips?.length).toBeGreaterThanOrEqual(6)
    await dropBefore(SECOND_WEEK)
    expect(await tachoRebuild()).toEqual(SAME)
    expect(await readAll(deviceId)).toEqual(before)
    const [oldest] = before.trips.trips as { id: string }[]
    expect(await answerTo(`/trips/${oldest?.id}/explain`)).toMatchObject({
      remarks: ['The measurements of this trip are no longer all kept.'],
    })

    // One sample of a drive, of which all others are gone.
    const reply = await fetch(`${service.url}/ingest/events`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify([
        {
          deviceId,
          recordedTimestamp: new Date(FIRST_WEEK + 1.5 * DAY_MS).toISOString(),
          eventType: 'IS_IGNITION_ON',
          value: true,
        },
        {
          deviceId,
          recordedTimestamp: new Date(FIRST_WEEK + 1.6 * DAY_MS).toISOString(),
          eventType: 'OBD_DTC_PERMANENT',
          value: '',
        },
      ]),
    })
    expect(reply.status).toBe(200)
    await settled(service.database)
    const after = await readAll(deviceId)
    expect(after.trips).toEqual(before.trips)
    expect(await tachoRebuild()).toEqual(SAME)
    await dropBefore(SECOND_WEEK)
    expect(await tachoRebuild()).toEqual(SAME)
  })

  it('what is late for the time that is kept is worked in as ever, before its first sample too', async () => {
    const deviceId = await twoWeeks('in order')
    await dropBefore(SECOND_WEEK)
    const start = SECOND_WEEK + 3_600_000
    const events = Array.from({ length: 30 }, (_, i) => ({
      deviceId,
      recordedTimestamp: new Date(start + i * 10_000).toISOString(),
      eventType: 'IS_IGNITION_ON',
      value: i < 29,
    }))
    const before = await readAll(deviceId)
    const reply = await fetch(`${service.url}/ingest/events`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify(events),
    })
    expect(reply.status).toBe(200)
    await settled(service.database)
    const after = await readAll(deviceId)
    expect(after.trips.trips).toHaveLength((before.trips.trips?.length ?? 0) + 1)
    expect(after.trips.trips).toEqual(expect.arrayContaining(before.trips.trips ?? []))
    expect(await tachoRebuild()).toEqual(SAME)
  })

  it('a dongle that reported nothing since keeps everything, and goes on where it stood', async () => {
    const deviceId = await twoWeeks('in order')
    const before = await readAll(deviceId)
    await dropBefore(SECOND_WEEK + 7 * DAY_MS)
    expect(await tachoRebuild()).toEqual(SAME)
    expect(await readAll(deviceId)).toEqual(before)
    await upload({ seed: 12 })
    expect(await tachoRebuild()).toEqual(SAME)
  })
})
