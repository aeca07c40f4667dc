import { afterAll, describe, expect, it } from 'vitest'
import { expectDocumented } from '../../../../test/openapi-conformity.ts'
import { startService } from '../../../../test/service.ts'
import { ALL_PERMISSIONS } from '../../../catalogue/permissions.ts'
import * as rules from '../../../derive/trips/rules.ts'
import type { TripExplanation } from './schema.ts'

const START_MS = Date.UTC(2026, 0, 12, 8)
const SECOND_MS = 1000
/** A hundred metres to the north. */
const STEP_DEG = 100 / 111_195

type Values = Readonly<Record<string, unknown>>

let lastDevice = 100

const service = await startService()
const key = await service.key('Fleet')
afterAll(() => service.stop())

async function ask(path: string, token = key, headers: Record<string, string> = {}) {
  const reply = await fetch(service.baseUrl + path, { headers: { authorization: `Bearer ${token}`, ...headers } })
  const body = await reply.text()
  await expectDocumented({ statusCode: reply.status, headers: Object.fromEntries(reply.headers), body }, 'GET', path)
  return { status: reply.status, headers: reply.headers, body: JSON.parse(body) as unknown }
}

const read = async <T>(path: string, token = key, headers: Record<string, string> = {}) => {
  const { status, body } = await ask(path, token, headers)
  expect(status).toBe(200)
  return body as T
}

interface ListedTrip {
  readonly id: string
  readonly tripStartTimestamp: string
  readonly tripEndTimestamp: string
  readonly distance: number
  readonly deleteTimestamp: string | null
}

const instant = (second: number) => new Date(START_MS + second * SECOND_MS).toISOString()

/** A dongle of its own; times are seconds after the start. */
function dongle() {
  const deviceId = ++lastDevice
  return {
    deviceId,
    async send(samples: Readonly<Record<number, Values>>) {
      const events = Object.entries(samples).flatMap(([second, values]) =>
        Object.entries(values).map(([eventType, value]) => ({
          deviceId,
          recordedTimestamp: instant(Number(second)),
          eventType,
          value,
        })),
      )
      const reply = await fetch(`${service.url}/ingest/events`, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        body: JSON.stringify(events),
      })
      expect(reply.status).toBe(200)
    },
    async trips() {
      const { trips } = await read<{ trips: ListedTrip[] }>(`/trips?deviceId=${deviceId}&includeDeleted=true`)
      return trips
    },
    /** The explanation of the nth trip, deleted ones counted. */
    async explained(index = 0, token = key, headers: Record<string, string> = {}) {
      const trip = (await this.trips())[index]
      return read<TripExplanation>(`/trips/${trip?.id}/explain`, token, headers)
    },
  }
}

const at = (metres: number) => ({ lat: 48.1 + (metres / 100) * STEP_DEG, lon: 11.6 })

/** A sample every ten seconds at 36 km/h. */
function driving(from: number, to: number, values: (second: number) => Values): Record<number, Values> {
  const samples: Record<number, Values> = {}
  for (let second = from; second < to; second += 10) samples[second] = values(second)
  return samples
}
const byIgnition = (second: number): Values => ({ IS_IGNITION_ON: true, POSITION: at(second * 10) })
const byEngine = (second: number): Values => ({ ENGINE_STATE: true, POSITION: at(second * 10) })
const byMotion = (second: number): Values => ({ GPS_SPEED: 36, POSITION: at(second * 10) })
/** Where it stood for 13 minutes and drove on; nobody knows that it stayed within one trip. */
const afterStay = (second: number): Values => ({ IS_IGNITION_ON: true, POSITION: at((second - 780) * 10) })
const OFF = { IS_IGNITION_ON: false }

describe('what opened and what closed a trip', () => {
  it.each<[opened: string, closed: string, samples: Record<number, Values>, end: number]>([
    ['IGNITION_ON', 'IGNITION_OFF', { ...driving(0, 120, byIgnition), 120: OFF, 400: OFF }, 120],
    [
      'ENGINE_ON',
      'ENGINE_OFF',
      { ...driving(0, 120, byEngine), 120: { ENGINE_STATE: false }, 400: { ENGINE_STATE: false } },
      120,
    ],
    ['MOTION', 'NO_MOTION', { ...driving(0, 120, byMotion), 120: { GPS_SPEED: 0 }, 500: { GPS_SPEED: 0 } }, 120],
    ['IGNITION_ON', 'GAP_WITHOUT_DATA', { ...driving(0, 120, byIgnition), 900: OFF }, 110],
    [
      'IGNITION_ON',
      'UNPLUGGED',
      { ...driving(0, 120, byIgnition), 120: { IS_DONGLE_PLUGGED_IN: false }, 130: { BATTERY_VOLTAGE: 12 } },
      120,
    ],
  ])('%s, %s', async (opened, closed, samples, end) => {
    const car = dongle()
    await car.send(samples)
    const explained = await car.explained()
    expect(explained).toMatchObject({ state: 'ENDED', remarks: [], coveredBy: [] })
    expect(explained.opened).toMatchObject({ rule: opened, sample: { recordedTimestamp: instant(0) } })
    expect(explained.closed).toMatchObject({ rule: closed, sample: { recordedTimestamp: instant(end) } })
    expect(explained.samples).toBe(Object.keys(samples).filter(second => Number(second) <= end).length)
    const [trip] = await car.trips()
    expect([trip?.tripStartTimestamp, trip?.tripEndTimestamp]).toEqual([instant(0), instant(end)])
    expect(explained.distance.counted).toBe(trip?.distance)
  })

  it('is shown as it was measured, in the shape of the API', async () => {
    const car = dongle()
    await car.send({ ...driving(0, 120, byIgnition), 120: { IS_IGNITION_ON: false, MILEAGE: 1000.5 }, 400: OFF })
    const { opened, closed } = await car.explained()
    const event = { deviceId: car.deviceId, recordedTimestamp: instant(120) }
    expect(closed?.sample).toEqual({
      recordedTimestamp: instant(120),
      events: [
        { ...event, eventType: 'IS_IGNITION_ON', dataType: 'BOOLEAN', value: false },
        { ...event, eventType: 'MILEAGE', dataType: 'NUMBER', value: 1000.5, unit: 'km', unitId: 111 },
      ],
    })
    expect(opened?.sample.events.map(item => [item.eventType, item.value])).toEqual([
      ['IS_IGNITION_ON', true],
      ['POSITION', 'POINT(11.6 48.1)'],
    ])
  })

  it('data after a gap opens the next trip where the car drove on', async () => {
    const car = dongle()
    await car.send({ ...driving(0, 120, byIgnition), ...driving(900, 1020, afterStay), 1020: OFF, 1300: OFF })
    expect((await car.explained(0)).closed?.rule).toBe('GAP_WITHOUT_DATA')
    const second = await car.explained(1)
    expect(second.opened).toMatchObject({ rule: 'DATA_AFTER_A_GAP', sample: { recordedTimestamp: instant(900) } })
    expect(second.closed?.rule).toBe('IGNITION_OFF')
  })

  it('nothing closed a trip that may still go on', async () => {
    const car = dongle()
    await car.send(driving(0, 120, byIgnition))
    expect(await car.explained()).toMatchObject({ state: 'DRIVING', closed: null, samples: 12, remarks: [] })
    await car.send({ 120: OFF })
    const pausing = await car.explained()
    expect(pausing).toMatchObject({ state: 'MAY_GO_ON', closed: null, samples: 13 })
    expect(pausing.remarks).toEqual([expect.stringContaining('it goes on if later measurements say so')])
  })

  it('says so in German, too', async () => {
    const car = dongle()
    await car.send({ ...driving(0, 120, byIgnition), 120: OFF, 400: OFF })
    const { opened, rules: inForce } = await car.explained(0, key, { 'accept-language': 'de' })
    expect(opened?.description).toBe('Die Zündung war an.')
    expect(inForce.find(rule => rule.name === 'STANDSTILL_KMH')?.description).toMatch(/steht ein Fahrzeug/)
  })
})

describe('what happened on the way', () => {
  it('pauses and gaps that did not end the trip are listed by their start', async () => {
    const car = dongle()
    const samples = {
      ...driving(0, 100, byIgnition),
      100: { IS_IGNITION_ON: false, POSITION: at(1000) },
      160: byIgnition(160),
      ...driving(300, 360, byIgnition),
      ...driving(360, 420, () => ({ VEHICLE_SPEED_AVERAGE: 36 })),
      ...driving(420, 480, byIgnition),
      480: { IS_IGNITION_ON: false, POSITION: at(4800) },
      // What comes after the end does not belong to it.
      520: { IS_IGNITION_ON: false, POSITION: at(0) },
      700: OFF,
    }
    await car.send(samples)
    expect(await car.trips()).toHaveLength(1)
    const { interruptions } = await car.explained()
    expect(interruptions.map(item => [item.kind, item.fromTimestamp, item.toTimestamp, item.seconds])).toEqual([
      ['IGNITION_OFF', instant(100), instant(160), 60],
      ['NO_DATA', instant(100), instant(160), 60],
      ['NO_POSITION', instant(100), instant(160), 60],
      ['NO_DATA', instant(160), instant(300), 140],
      ['NO_POSITION', instant(160), instant(300), 140],
      ['NO_POSITION', instant(350), instant(420), 70],
    ])
  })

  it('traffic lights are pauses of a trip by motion', async () => {
    const car = dongle()
    await car.send({
      ...driving(0, 100, byMotion),
      ...driving(100, 160, () => ({ GPS_SPEED: 0, POSITION: at(940) })),
      ...driving(160, 260, second => ({ GPS_SPEED: 36, POSITION: at(second * 10 - 640) })),
      260: { GPS_SPEED: 0 },
      800: { GPS_SPEED: 0 },
    })
    const { interruptions } = await car.explained()
    expect(interruptions).toMatchObject([
      { kind: 'NO_MOTION', fromTimestamp: instant(90), toTimestamp: instant(160), seconds: 70 },
    ])
  })

  it('odometer and positions are compared, and it is said which one counts', async () => {
    const withOdometer = dongle()
    await withOdometer.send({
      ...driving(0, 600, second => ({ ...byIgnition(second), MILEAGE: 1000 + (second * 11) / 1000 })),
      600: { IS_IGNITION_ON: false, MILEAGE: 1006.6, POSITION: at(6000) },
      900: OFF,
    })
    const measured = await withOdometer.explained()
    expect(measured.distance).toMatchObject({ counted: 6.6, odometer: 6.6, basis: 'ODOMETER', odometerJumps: 0 })
    expect(measured.distance.positions).toBeCloseTo(6, 1)
    expect(measured.distance.difference).toBeCloseTo(0.6, 1)

    const late = dongle()
    await late.send({
      ...driving(0, 300, byIgnition),
      ...driving(300, 600, second => ({ ...byIgnition(second), MILEAGE: 1000 + (second * 10) / 1000 })),
      600: { IS_IGNITION_ON: false },
      900: OFF,
    })
    expect((await late.explained()).distance).toMatchObject({ odometer: 2.9, basis: 'ODOMETER_COMPLETED_BY_POSITIONS' })

    const reset = dongle()
    await reset.send({
      ...driving(0, 300, second => ({ ...byIgnition(second), MILEAGE: 1000 + (second * 10) / 1000 })),
      ...driving(300, 600, second => ({ ...byIgnition(second), MILEAGE: (second * 10) / 1000 })),
      600: { IS_IGNITION_ON: false },
      900: OFF,
    })
    expect((await reset.explained()).distance).toMatchObject({ odometerJumps: 1 })

    const still = dongle()
    await still.send({
      ...driving(0, 60, second => ({ ...byIgnition(second), MILEAGE: 1000 })),
      60: OFF,
      300: OFF,
    })
    expect((await still.explained()).distance).toMatchObject({ odometer: 0, basis: 'POSITIONS_ODOMETER_UNCHANGED' })

    const none = dongle()
    await none.send({ ...driving(0, 60, byIgnition), 60: OFF, 300: OFF })
    expect((await none.explained()).distance).toMatchObject({
      odometer: null,
      difference: null,
      basis: 'POSITIONS_NO_ODOMETER',
    })
    const blind = dongle()
    await blind.send({ ...driving(0, 60, () => ({ IS_IGNITION_ON: true })), 60: OFF, 300: OFF })
    expect((await blind.explained()).distance).toMatchObject({ counted: 0, positions: null, basis: 'NOTHING_MEASURED' })
  })

  it('each measure is told with its error, which one counts, and the range in which the truth lies', async () => {
    const car = dongle()
    await car.send({
      ...driving(0, 600, second => ({
        ...byIgnition(second),
        VEHICLE_SPEED_AVERAGE: 36,
        MILEAGE: 1000 + (second * 10) / 1000,
      })),
      600: { IS_IGNITION_ON: false, MILEAGE: 1006, POSITION: at(6000) },
      900: OFF,
    })
    const { counted, least, most, measures } = (await car.explained()).distance
    expect(counted).toBe(6)
    expect(least).toBeGreaterThan(5.7)
    expect(least).toBeLessThan(6)
    expect(most).toBeGreaterThan(6)
    expect(most).toBeLessThan(6.3)
    expect(measures.map(({ measure, counts, agrees }) => [measure, counts, agrees])).toEqual([
      ['ODOMETER', true, true],
      ['POSITIONS', false, true],
      ['SPEED', false, true],
    ])
    expect(measures[0]).toMatchObject({ distance: 6, difference: 0, odometer: { shown: 6, verdict: 'KILOMETRES' } })
    const german = (await car.explained(0, key, { 'accept-language': 'de' })).distance.measures
    expect(german[0]?.odometer?.description).toBe('Er zählt Kilometer.')
  })

  it.each([
    ['MILES', 'ODOMETER', 1 / 1.609344],
    ['DOUBTED', 'POSITIONS_ODOMETER_DOUBTED', 1.4],
  ])('an odometer found to be %s says so, and the distance is right', async (verdict, basis, factor) => {
    const car = dongle()
    const byOdometer = (second: number) => ({
      IS_IGNITION_ON: true,
      POSITION: at(second * 20),
      MILEAGE: Math.round(1e6 + second * 20 * factor) / 1000,
    })
    await car.send({
      ...driving(0, 1500, byOdometer),
      1500: { ...byOdometer(1500), IS_IGNITION_ON: false },
      1800: OFF,
    })
    const { distance } = await car.explained()
    expect(distance.counted).toBeCloseTo(30, 0)
    expect(distance).toMatchObject({ basis })
    const [odometer] = distance.measures
    expect(odometer).toMatchObject({ measure: 'ODOMETER', odometer: { verdict }, agrees: verdict === 'MILES' })
    expect(odometer?.odometer?.shown).toBeCloseTo(30 * factor, 1)
  })

  it('a speed that positions contradict is named, in the language of the reply', async () => {
    const car = dongle()
    await car.send({
      ...driving(0, 600, second => ({ IS_IGNITION_ON: true, POSITION: at(second * 10), GPS_SPEED: 0 })),
      600: { IS_IGNITION_ON: false, POSITION: at(6000), GPS_SPEED: 0 },
      900: OFF,
    })
    const { distance } = await car.explained()
    expect(distance.counted).toBeCloseTo(6, 1)
    expect(distance.contradictions.map(({ kind }) => kind)).toEqual(['SPEED_AGAINST_POSITIONS'])
    const [german] = (await car.explained(0, key, { 'accept-language': 'de' })).distance.contradictions
    expect(german?.description).toContain('Die Geschwindigkeit sagt viel mehr oder weniger')
  })

  it('without positions and odometer, the speed over time counts', async () => {
    const car = dongle()
    await car.send({
      ...driving(0, 600, () => ({ IS_IGNITION_ON: true, VEHICLE_SPEED_AVERAGE: 36 })),
      600: { IS_IGNITION_ON: false, VEHICLE_SPEED_AVERAGE: 36 },
      900: OFF,
    })
    const { distance } = await car.explained()
    expect(distance).toMatchObject({ counted: 6, basis: 'SPEED_OVER_TIME', odometer: null, positions: null })
    expect(distance.measures).toMatchObject([{ measure: 'SPEED', distance: 6, difference: 0, counts: true }])
  })

  it('the witnesses are named with their weight, and what they said when the trip began', async () => {
    const car = dongle()
    await car.send({
      ...driving(0, 120, second => ({ ...byMotion(second), IS_MOVING: false })),
      ...driving(120, 600, () => ({ GPS_SPEED: 0, POSITION: at(1200) })),
    })
    const { opened, evidence } = await car.explained()
    expect(opened?.rule).toBe('MOTION')
    const said = evidence.map(({ witness, weight, saidAtBegin }) => [witness, weight, saidAtBegin])
    expect(said).toEqual([
      ['IGNITION', null, null],
      ['ENGINE', null, null],
      ['CAR_SPEED', 3, null],
      ['RECEIVER_SPEED', 2, 'DRIVES'],
      ['UNMOVED_POSITION', 1.5, null],
      ['STILL_ODOMETER', 3.5, null],
      ['MOTION_SENSOR', 1, 'STANDS'],
      ['DROVE_ON', null, null],
    ])
    expect(evidence.find(({ witness }) => witness === 'UNMOVED_POSITION')?.freshSeconds).toBe(60)
  })

  it('a trip that began between two measurements names the one that told of it', async () => {
    const car = dongle()
    const every2Minutes = (from: number, to: number, metres: (second: number) => number) =>
      Object.fromEntries(
        Array.from({ length: (to - from) / 120 }, (_, i) => from + i * 120).map(second => [
          second,
          { POSITION: at(metres(second)) },
        ]),
      )
    await car.send({
      ...every2Minutes(0, 1200, () => 0),
      ...every2Minutes(1200, 2400, second => (second - 1140) * 10),
      ...every2Minutes(2400, 3600, () => 12_000),
    })
    const explained = await car.explained()
    const [trip] = await car.trips()
    expect(Date.parse(trip?.tripStartTimestamp ?? '')).toBeGreaterThan(Date.parse(instant(1080)))
    expect(Date.parse(trip?.tripStartTimestamp ?? '')).toBeLessThan(Date.parse(instant(1200)))
    expect(explained).toMatchObject({
      state: 'ENDED',
      remarks: [],
      opened: { sample: { recordedTimestamp: instant(1200) } },
    })
    expect(explained.evidence.filter(({ saidAtBegin }) => saidAtBegin !== null)).toMatchObject([
      { witness: 'DROVE_ON', saidAtBegin: 'DRIVES' },
    ])
    expect(explained.closed?.rule).toBe('NO_MOTION')
  })

  it('a silence that the odometer bridges is named apart from others', async () => {
    const car = dongle()
    const byOdometer = (second: number) => ({ ...byIgnition(second), MILEAGE: 1000 + second / 100 })
    await car.send({ ...driving(0, 120, byOdometer), ...driving(900, 1020, byOdometer), 1020: OFF, 1300: OFF })
    const { interruptions } = await car.explained()
    expect(interruptions.map(({ kind, fromTimestamp, toTimestamp }) => [kind, fromTimestamp, toTimestamp])).toEqual([
      ['SILENCE_BRIDGED', instant(110), instant(900)],
      ['NO_POSITION', instant(110), instant(900)],
    ])
  })

  it('an idle hour ends the trip with its last motion, and the ignition is doubted', async () => {
    const car = dongle()
    await car.send({
      ...driving(0, 300, byIgnition),
      ...driving(300, 900, () => ({ IS_IGNITION_ON: true, POSITION: at(2990) })),
      ...driving(900, 1200, second => ({ IS_IGNITION_ON: true, POSITION: at((second - 601) * 10) })),
      ...driving(1200, 5400, () => ({ IS_IGNITION_ON: true, POSITION: at(5990) })),
    })
    const explained = await car.explained()
    expect(explained).toMatchObject({
      state: 'ENDED',
      remarks: [expect.stringContaining('wired to permanent current')],
      closed: { rule: 'NO_MOTION', sample: { recordedTimestamp: instant(1190) } },
    })
    expect(explained.samples).toBe(120)
    expect(explained.interruptions.map(({ kind }) => kind)).toEqual(['IDLE'])
  })

  it('positions from elsewhere that agree with each other are kept apart, and counted as such', async () => {
    const car = dongle()
    await car.send({
      ...driving(0, 300, byIgnition),
      ...driving(300, 400, second => ({ IS_IGNITION_ON: true, POSITION: at(80_000 + second * 10) })),
      ...driving(400, 600, byIgnition),
      600: OFF,
      900: OFF,
    })
    const { positions } = await car.explained()
    expect(positions).toMatchObject({ counted: 50, relocations: 0, returns: 0 })
    expect(positions.dropped.map(({ reason, count }) => [reason, count])).toEqual([['ELSEWHERE', 10]])
  })

  it('positions that do not count are counted by the reason', async () => {
    const car = dongle()
    await car.send({
      ...driving(0, 100, byIgnition),
      100: { IS_IGNITION_ON: true, POSITION: { lat: 0, lon: 0 } },
      110: { IS_IGNITION_ON: true, POSITION: { lat: 50, lon: 11.6 } },
      ...driving(120, 150, byIgnition),
      ...driving(150, 180, second => ({
        IS_IGNITION_ON: true,
        VEHICLE_SPEED_AVERAGE: 0,
        POSITION: at(1400 + (second % 20)),
      })),
      180: { IS_IGNITION_ON: false },
      400: OFF,
    })
    const { positions } = await car.explained()
    expect(Object.fromEntries(positions.dropped.map(({ reason, count }) => [reason, count]))).toEqual({
      IMPOSSIBLE_PLACE: 1,
      IMPOSSIBLE_JUMP: 1,
      DRIFT_WHILE_STANDING: 2,
    })
    expect(positions).toMatchObject({ counted: 14, relocations: 0 })
  })
})

describe('a trip that late measurements changed', () => {
  it('that was merged away says which trip covers its time now', async () => {
    const car = dongle()
    await car.send({ ...driving(0, 120, byIgnition), ...driving(900, 1020, afterStay), 1020: OFF, 1300: OFF })
    const before = await car.trips()
    expect(before).toHaveLength(2)
    await car.send(driving(120, 900, () => ({ IS_IGNITION_ON: true, POSITION: at(1200) })))
    await expect.poll(async () => (await car.trips()).some(trip => trip.deleteTimestamp !== null)).toBe(true)
    const [kept, gone] = await car.trips()
    expect(await read<TripExplanation>(`/trip/${gone?.id}/explain`)).toMatchObject({
      tripId: gone?.id,
      state: 'DELETED',
      coveredBy: [kept?.id],
      opened: null,
      remarks: [expect.stringContaining('the trips in `coveredBy` cover now')],
    })
    expect(await car.explained(0)).toMatchObject({ state: 'ENDED', remarks: [], samples: 103 })
  })

  it('that began long after the last checkpoint is followed from there', async () => {
    const car = dongle()
    const DAY = 86_400
    await car.send({ ...driving(0, 120, byIgnition), 120: OFF, 400: OFF })
    await car.send({ ...driving(DAY, DAY + 120, byIgnition), [DAY + 120]: OFF, [DAY + 400]: OFF })
    const [first, second] = [await car.explained(0), await car.explained(1)]
    expect(first.workedOutFrom).toBeNull()
    expect(second).toMatchObject({ workedOutFrom: '2026-01-13T00:00:00.000Z', remarks: [], samples: 13 })
  })
})

describe('who may ask', () => {
  it('another account is told that there is no such trip, as of one that nobody has', async () => {
    const car = dongle()
    await car.send({ ...driving(0, 120, byIgnition), 120: OFF, 400: OFF })
    const [trip] = await car.trips()
    const stranger = await service.key('Strangers')
    const reply = await ask(`/trips/${trip?.id}/explain`, stranger)
    const unknown = await ask('/trips/999999999/explain', stranger)
    expect([reply.status, unknown.status]).toEqual([404, 404])
    expect(JSON.stringify(reply.body).replace(String(trip?.id), '999999999')).toBe(JSON.stringify(unknown.body))
    expect((await ask('/trips/nonsense/explain')).status).toBe(404)
    expect(Number(reply.headers.get('x-rate-limit-remaining'))).toBeGreaterThan(0)
  })

  it('positions need their permission, and so do all other events', async () => {
    const car = dongle()
    await car.send({ ...driving(0, 120, byIgnition), 120: { IS_IGNITION_ON: false, POSITION: at(1200) }, 400: OFF })
    const blind = await service.key(
      'Fleet',
      ALL_PERMISSIONS.filter(permission => permission !== 'positions'),
    )
    const seen = await car.explained(0, blind)
    expect(seen.opened?.sample.events.map(item => item.eventType)).toEqual(['IS_IGNITION_ON'])
    expect(JSON.stringify(seen)).not.toContain('POINT(')
    const tripsOnly = await service.key('Fleet', ['trips'])
    expect((await car.explained(0, tripsOnly)).opened?.sample).toEqual({ recordedTimestamp: instant(0), events: [] })
  })

  it('every rule is told with value, unit and reason', async () => {
    const car = dongle()
    await car.send({ ...driving(0, 120, byIgnition), 120: OFF, 400: OFF })
    const { rules: inForce } = await car.explained()
    expect(Object.fromEntries(inForce.map(rule => [rule.name, rule.value]))).toEqual({ ...rules })
    expect(inForce.find(rule => rule.name === 'IGNITION_PAUSE_MS')).toMatchObject({ value: 120_000, unit: 'ms' })
    expect(inForce.filter(rule => rule.unit === '').map(rule => rule.name)).toEqual([
      'SILENT_INTERVALS',
      'UNSEEN_INTERVALS',
      'TOWN_DETOUR',
      'MISSED_INTERVALS',
      'AGREEING_FIXES',
      'CALIBRATION_ERROR',
      'ODOMETER_ERROR',
    ])
    expect(inForce.find(rule => rule.name === 'KM_PER_MILE')).toMatchObject({ unit: 'km/mi' })
  })

  it('a trip whose measurements tell something else is not explained away', async () => {
    const car = dongle()
    await car.send({ ...driving(0, 120, byIgnition), 120: OFF, 400: OFF })
    await service.database.writers.query(
      `update trips set distance_m = distance_m + 5000 where device_id = ${car.deviceId}`,
    )
    expect((await car.explained()).remarks).toEqual([expect.stringContaining('tell another trip')])
    await service.database.writers.query(`delete from samples where device_id = ${car.deviceId}`)
    expect(await car.explained()).toMatchObject({
      opened: null,
      remarks: [expect.stringContaining('no longer all kept')],
    })
  })
})
