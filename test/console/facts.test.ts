import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type {
  AreaList,
  AreaVisitList,
  DeviceList,
  DrivingHour,
  Dtc,
  Event,
  Incident,
  KeyList,
  Operation,
  PositionList,
  RuleList,
  Trip,
  UserList,
  Vehicle,
} from '../../console/src/api/schema.ts'
import { writeRejectedFrames } from '../../src/db/rejected-frames.ts'
import { writeTransaction } from '../../src/db/transaction.ts'
import type { DeviceId } from '../../src/model/sample.ts'
import { ingestClient } from '../ingest-client.ts'
import { settled } from '../settled.ts'
import { describeInBrowser, PATIENCE } from './chromium.ts'
import {
  AILING,
  driveEvents,
  driverOf,
  eventsAt,
  madeCar,
  makeFleet,
  minuteOf,
  RESTING,
  SOUND,
  TIME_ZONE,
} from './made-fleet.ts'
import { makeRule } from './made-rules.ts'
import { type ConsoleWorld, EMAIL, startWorld } from './world.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS

const MOVING = madeCar(404, {
  licensePlate: 'K-TC 404',
  make: 'Ford',
  model: 'Transit',
  home: { lon: 6.96, lat: 50.94 },
  firstKm: 900,
})

/** What was driven before yesterday: days earlier, for how long, and what was told on the way. */
const DRIVES = [
  [RESTING, 0, 420, {}],
  [AILING, 2, 1280, {}],
  [SOUND, 3, 5420, { OBD_DTC_SPORADIC: 'P0420,U0100' }],
  [AILING, 7, 440, {}],
  [SOUND, 7, 260, {}],
  [AILING, 9, 7220, {}],
  [SOUND, 28, 740, {}],
  [SOUND, 33, 400, {}],
  [AILING, 45, 620, {}],
] as const

/** How people of a language read numbers and times, written down anew here: what the console does is what is tested. */
function readerOf(language: 'en' | 'de', unit: 'km' | 'mi') {
  const locale = language === 'en' ? 'en-GB' : language
  const number = (value: number, digits = 1) =>
    new Intl.NumberFormat(locale, { maximumFractionDigits: digits }).format(value)
  const inUnit = (km: number) => (unit === 'mi' ? km / 1.609344 : km)
  const percent = (share: number, options: Intl.NumberFormatOptions) =>
    plain(new Intl.NumberFormat(locale, { style: 'percent', ...options }).format(share))
  const instant = (options: Intl.DateTimeFormatOptions) => (time: string | number | null) =>
    plain(new Intl.DateTimeFormat(locale, { ...options, timeZone: TIME_ZONE }).format(new Date(time ?? Number.NaN)))
  return {
    language,
    unit,
    number,
    distance: (km: number) => `${number(inUnit(km), km < 100 ? 1 : 0)} ${unit}`,
    odometer: (km: number) => `${number(inUnit(km), 0)} ${unit}`,
    speed: (kmh: number, digits = 0) => `${number(inUnit(kmh), digits)} ${unit === 'mi' ? 'mph' : 'km/h'}`,
    percent: (share: number) => percent(share, { maximumFractionDigits: 1 }),
    /** @param ratio of what is to what was */
    change: (ratio: number) => percent(ratio - 1, { maximumFractionDigits: 0, signDisplay: 'exceptZero' }),
    dateTime: instant({ dateStyle: 'medium', timeStyle: 'short' }),
    date: instant({ dateStyle: 'medium' }),
    clock: instant({ timeStyle: 'short' }),
    day: instant({ weekday: 'short', day: 'numeric', month: 'short', year: 'numeric' }),
  }
}
type Reader = ReturnType<typeof readerOf>
const english = readerOf('en', 'km')
const german = readerOf('de', 'mi')

const plain = (text: string) => text.replace(/[\u00a0\u202f]/g, ' ')

function duration(seconds: number): string {
  const minutes = Math.round(seconds / 60)
  if (Math.round(seconds) < 60) return `${Math.round(seconds)} s`
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${String(minutes % 60).padStart(2, '0')} min`
}

/** The day of an instant for the people of the tests, `YYYY-MM-DD`. */
const dayOf = (time: string | number) => new Date(time).toLocaleDateString('en-CA', { timeZone: TIME_ZONE })
const daysAgo = (days: number) => dayOf(Date.now() - days * DAY_MS)
const lengthOf = (from: string, to: string | null) => duration((Date.parse(to ?? '') - Date.parse(from)) / 1000)

/** What trips come to; metres and seconds are whole. */
function summed(trips: readonly Trip[]) {
  const km = trips.reduce((sum, { distance }) => sum + Math.round(distance * 1000), 0) / 1000
  return { count: trips.length, km, s: trips.reduce((sum, trip) => sum + trip.duration, 0) }
}

function grouped<T>(values: readonly T[], keyOf: (value: T) => string): readonly (readonly [string, readonly T[]])[] {
  return [...new Set(values.map(keyOf))].map(key => [key, values.filter(value => keyOf(value) === key)])
}

const textsOf = (text: string) =>
  plain(text)
    .split(/[\n\t]+/)
    .map(each => each.trim())
    .filter(each => each !== '')

/** Each text of the page that can be seen, in the order in which they stand there. */
const textOf = async (page: Page) => textsOf(await page.locator('main').innerText()).join(' | ')

/** The texts of each row of a table, without its head. */
const rowsOf = async (page: Page, name = /./) =>
  (await page.getByRole('table', { name }).first().getByRole('row').allInnerTexts()).slice(1).map(textsOf)

/** In any order, so in one. */
const sorted = (rows: readonly (readonly unknown[])[]) => rows.map(row => row.join(' | ')).toSorted()

/** Waits until the page has these texts one after the other, however often it is drawn until then. */
async function shows(page: Page, ...facts: readonly (readonly (string | number)[])[]) {
  for (const fact of facts) await expect.poll(() => textOf(page), PATIENCE).toContain(fact.join(' | '))
}

describeInBrowser('facts on the screen are those of the service', () => {
  let world: ConsoleWorld
  let vehicles: readonly Vehicle[]
  /** The newest first. */
  let trips: readonly Trip[]
  let incidents: readonly Incident[]
  let codes: readonly Dtc[]
  const current = () => codes.filter(({ deleteTimestamp }) => deleteTimestamp === null)

  const ask = async <T>(path: string, body?: object): Promise<T> => {
    const headers = { authorization: `Bearer ${world.key}`, 'content-type': 'application/json' }
    const asked = body ? { method: 'POST', body: JSON.stringify(body), headers } : { headers }
    const reply = await fetch(`${world.service.baseUrl}/${path}`, asked)
    if (!reply.ok) throw new Error(`${path}: ${reply.status} ${await reply.text()}`)
    return reply.json() as Promise<T>
  }
  const plateOf = (vehicleId: string) => vehicles.find(({ id }) => id === vehicleId)?.licensePlate ?? vehicleId
  const latest = ({ lastEvents }: Vehicle, type: string) =>
    lastEvents.find(({ eventType }) => eventType === type)?.value
  const isMoving = ({ tripId }: Vehicle) => tripId !== ''
  const visit = async (path: string, { language, unit }: Reader = english) => {
    const page = await world.visit({ path, language, hasMaps: false })
    if (unit === 'km') return page
    const profile = JSON.stringify({ distance: unit })
    await page.addInitScript({ content: `localStorage.setItem('tacho.profile.${EMAIL}', '${profile}')` })
    await page.reload()
    return page
  }

  beforeAll(async () => {
    world = await startWorld()
    const { service, key } = world
    const { home: _home, firstKm: _firstKm, ...moving } = MOVING
    await ask('../../admin/devices', moving)
    const { soundMs, ailingMs } = await makeFleet(service, key)
    const dongles = ingestClient(service.url, key)
    const tell = (deviceId: number, timeMs: number, values: Parameters<typeof eventsAt>[2]) =>
      dongles.store(eventsAt(deviceId, timeMs, values))
    for (const [car, days, lengthS, more] of DRIVES)
      await dongles.store(driveEvents(car, soundMs - days * DAY_MS, more, -10 * days, lengthS))
    // They stood in their areas before they drove off.
    for (const [{ deviceId, home }, startMs] of [[AILING, ailingMs[1]] as const, [SOUND, soundMs] as const])
      for (const minutes of [40, 30, 20, 10])
        await tell(deviceId, startMs - minutes * MINUTE_MS, { POSITION: `POINT(${home.lon} ${home.lat})` })
    for (const s of [120, 80, 40, 0])
      await tell(RESTING.deviceId, ailingMs[1] + HOUR_MS - s * 1000, { ENGINE_COOLANT_TEMPERATURE: 121 })
    const nowMs = Date.now() - MINUTE_MS
    await tell(RESTING.deviceId, nowMs, { BATTERY_VOLTAGE: 9.4, HV_BATTERY_SOC: 63, IS_DONGLE_PLUGGED_IN: false })
    await tell(SOUND.deviceId, nowMs, { OBD_DTC_SPORADIC: 'P0128' })
    await driverOf(MOVING, service, key).begin()
    for (const [name, { lon, lat }] of [['Depot', AILING.home] as const, ['Port', SOUND.home] as const])
      await ask('areas', { name, kind: 'DEPOT', geometry: { type: 'Point', coordinates: [lon, lat] }, radiusM: 300 })
    const fromMs = soundMs - 50 * DAY_MS
    await makeRule(world, { name: 'In town', kind: 'SPEEDING', parameters: { limitKmh: 50 }, fromMs })
    await makeRule(world, { name: 'Hot', kind: 'ENGINE_HOT', fromMs })
    await makeRule(world, { name: 'Off', kind: 'AREA_LEFT', fromMs })
    const refused = { gateway: 'teltonika', deviceId: 356307042441013 as DeviceId, sender: '192.0.2.7', why: 'Unknown' }
    const frame = { ...refused, reason: 'unknown device', bytes: Buffer.from('x'), byteCount: 1 } as const
    await writeTransaction(service.database, transaction => writeRejectedFrames(transaction, [frame, frame, frame]))
    await settled(service.database)
    vehicles = (await ask<{ vehicles: Vehicle[] }>('vehicles')).vehicles
    trips = (await ask<{ trips: Trip[] }>('trips')).trips.toReversed()
    incidents = (await ask<{ incidents: Incident[] }>('incidents')).incidents.toReversed()
    codes = (await ask<{ dtcs: Dtc[] }>('dtcs?includeDeleted=true')).dtcs
  })
  afterAll(() => world.stop())

  const between = (first: string, last: string) =>
    trips.filter(({ tripStartTimestamp }) => dayOf(tripStartTimestamp) >= first && dayOf(tripStartTimestamp) <= last)
  const on = (day: string) => between(day, day)

  test('today, the badge of the menu, and the cars on the map, now and at a time', async () => {
    const page = await visit('/today')
    const isFaulty = (car: Vehicle) =>
      latest(car, 'IS_MIL_ON') === true || current().some(({ vehicleId }) => vehicleId === car.id)
    const isLow = (car: Vehicle) => /Empty|Low|Warning/.test(String(latest(car, 'BATTERY_STATE')))
    const isOut = (car: Vehicle) => latest(car, 'IS_DONGLE_PLUGGED_IN') === false
    const countOf = (is: (car: Vehicle) => boolean) => vehicles.filter(is).length
    const ofSeverity = (severity: string) => incidents.filter(incident => incident.severity === severity).length
    const { refused } = await ask<Operation>('../../admin/operation')
    await shows(
      page,
      [`Incidents to acknowledge: ${incidents.length}`, 'Show all', `${ofSeverity('critical')} critical`],
      [`${ofSeverity('warning')} warnings`, `${ofSeverity('info')} for information`],
      [`Faults and warning lights: ${countOf(isFaulty)}`, 'Show all', SOUND.licensePlate],
      [`Starter batteries: ${countOf(isLow)}`, 'Show all', RESTING.licensePlate, 'Starter battery very low (9.4 V)'],
      [`No contact: ${countOf(isOut)}`, 'Show all', RESTING.licensePlate],
      [`Refused devices: ${refused.length}`, 'Show all', refused[0]?.deviceId ?? ''],
      [`On the road now: ${countOf(isMoving)}`, 'To the map', MOVING.licensePlate, 'Driving · 18 km/h'],
    )
    const badge = page.getByRole('navigation', { name: 'Pages' }).getByText(/not acknowledged$/)
    await expect.poll(() => badge.innerText(), PATIENCE).toBe(`${incidents.length} not acknowledged`)

    const yesterday = summed(on(daysAgo(1)))
    const weekdays = summed([8, 15, 22, 29].flatMap(days => on(daysAgo(days))))
    const usual = (of: 'km' | 's' | 'count', format: (value: number) => string) =>
      `${format(weekdays[of] / 4)} (${english.change(yesterday[of] / (weekdays[of] / 4))})`
    await shows(
      page,
      [`Yesterday, ${english.day(Date.now() - DAY_MS)}`, 'To the statistics'],
      ['Distance', english.distance(yesterday.km), usual('km', english.distance)],
      ['Trips', yesterday.count, usual('count', english.number)],
      ['Driving time', duration(yesterday.s), usual('s', duration)],
    )

    await page.goto('/#/map')
    const needy = countOf(car => isFaulty(car) || isLow(car) || isOut(car))
    const all = vehicles.length
    const moving = countOf(isMoving)
    await shows(
      page,
      [`Needs attention ${needy}`, `All ${all}`, `Driving ${moving}`, `Parked ${all - moving}`],
      [`${all} cars`],
      ...vehicles.map(car => [car.licensePlate, isMoving(car) ? 'Driving' : 'Parked']),
    )
    for (const fact of ['Charge 63% · Škoda', 'Fuel 61 l · Opel', '18 km/h · Ford', 'very low (9.4 V) +1'])
      await expect.poll(() => textOf(page), PATIENCE).toContain(fact)

    const driven = on(daysAgo(1)).find(({ vehicleId }) => plateOf(vehicleId) === SOUND.licensePlate) as Trip
    const then = Date.parse(driven.tripStartTimestamp) + 5 * MINUTE_MS
    const timestamp = new Date(then).toISOString()
    const { positions } = await ask<PositionList>(`positions?timestamp=${timestamp}`)
    const parked = positions.filter(({ state }) => state === 'PARKED').length
    await page.goto(`/#/map?at=${minuteOf(then)}`)
    await shows(
      page,
      [`All ${all}`, `Driving ${positions.length - parked}`, `Parked ${parked}`],
      [`${all} cars · ${all - positions.length} without a position`],
    )
    for (const { vehicleId, state, speed, sinceTimestamp } of positions) {
      const line = async () => (await textOf(page)).split(`| ${plateOf(vehicleId)} | `)[1]
      const stands = sinceTimestamp ? `parked for ${lengthOf(sinceTimestamp, timestamp)}` : ''
      await expect.poll(line, PATIENCE).toContain(state === 'PARKED' ? stands : english.speed(speed ?? Number.NaN))
    }
  })

  test('devices, a car, and the administration', async () => {
    const { devices } = await ask<DeviceList>('devices')
    const page = await visit('/devices')
    await shows(page, [`${devices.length} devices`])
    const rows = devices.map(({ id, isOnline, isPluggedIn, vehicleId }) => {
      const states = [isOnline ? 'Online' : 'Offline', isPluggedIn ? 'Plugged in' : 'Unplugged']
      return [id, ...states, plateOf(vehicleId)]
    })
    await expect
      .poll(async () => sorted((await rowsOf(page)).map(cells => cells.slice(0, 4))), PATIENCE)
      .toEqual(sorted(rows))

    await page.goto(`/#/cars/VIN${RESTING.vin}`)
    const car = vehicles.find(({ vin }) => vin === RESTING.vin) as Vehicle
    const value = (type: string) => english.number(Number(latest(car, type)))
    await shows(
      page,
      ['Odometer', `${value('MILEAGE')} km`],
      ['Charge of the drive battery', `${value('HV_BATTERY_SOC')}%`],
      ['Coolant temperature', `${value('ENGINE_COOLANT_TEMPERATURE')} °C`],
      ['Voltage', `${value('BATTERY_VOLTAGE')} V`],
      ['Device', car.deviceId ?? ''],
    )

    const { refused, machine, pendingSamples } = await ask<Operation>('../../admin/operation')
    await page.goto('/#/administration?tab=operation')
    await shows(
      page,
      ['Waiting to be stored', `${pendingSamples} measurement`],
      ['Database', `${english.number((machine?.databaseBytes ?? 0) / 1e6)} MB`],
      ...refused.map(each => [each.deviceId ?? '', english.dateTime(each.lastTimestamp), each.times, each.sender]),
    )
    const { keys } = await ask<KeyList>('../../admin/keys')
    await page.goto('/#/administration?tab=keys')
    const made = keys.map(key => [key.name, 'Administrator', english.date(key.createdTimestamp), 'never'])
    await expect.poll(async () => (await rowsOf(page)).map(cells => cells.slice(0, 4)), PATIENCE).toEqual(made)
    const { users } = await ask<UserList>('../../admin/users')
    await page.goto('/#/administration')
    const { createdTimestamp = '', lastLoginTimestamp = '' } = users[0] ?? {}
    await shows(page, ['Administrator', english.date(createdTimestamp), english.dateTime(lastLoginTimestamp)])
  })

  test.each([
    [english, '1 trip', 'trips', 'under way'],
    [german, '1 Fahrt', 'Fahrten', 'unterwegs'],
  ] as const)('trips with their sums, their days and one of them: $language', async (reader, one, many, underWay) => {
    const [from, to] = [daysAgo(29), daysAgo(0)]
    const page = await visit(`/trips?from=${from}&to=${to}`, reader)
    const totals = (of: readonly Trip[]) => {
      const { count, km, s } = summed(of)
      return [count === 1 ? one : `${count} ${many}`, reader.distance(km), duration(s)]
    }
    await shows(page, totals(between(from, to)))
    const driven = (trip: Trip) => [
      reader.distance(trip.distance),
      duration(trip.duration),
      reader.speed(trip.distance / (trip.duration / 3600)),
    ]
    const somewhere = expect.any(String)
    const end = ({ id, tripEndTimestamp }: Trip) =>
      vehicles.some(({ tripId }) => tripId === id) ? [underWay] : [reader.clock(tripEndTimestamp), somewhere]
    const lines = grouped(between(from, to), trip => dayOf(trip.tripStartTimestamp)).flatMap(([day, of]) => [
      [reader.day(`${day}T11:00Z`), totals(of).join(' · ')],
      ...of.map(trip => {
        const start = [reader.clock(trip.tripStartTimestamp), plateOf(trip.vehicleId), somewhere]
        return [...start, ...end(trip), ...driven(trip)]
      }),
    ])
    await expect.poll(() => rowsOf(page), PATIENCE).toEqual(lines)

    const longest = trips.toSorted((a, b) => b.distance - a.distance)[0] as Trip
    const events = await ask<Event[]>(`events?tripId=${longest.id}&maxResults=10000`)
    const measured = (type: string) =>
      events.filter(event => event.event_type === type).map(event => Number(event.value))
    const odometer = measured('MILEAGE').map(reader.odometer)
    await page.goto(`/#/trips/${longest.id}`)
    const facts = [...driven(longest), reader.speed(Math.max(...measured('GPS_SPEED')))]
    const times = [longest.tripStartTimestamp, longest.tripEndTimestamp].map(reader.dateTime)
    await shows(page, ...[...times, ...facts, `${odometer[0]} → ${odometer.at(-1)}`].map(fact => [fact]))
  })

  test('areas with who was there', async () => {
    const { areas } = await ask<AreaList>('areas')
    const page = await visit('/areas')
    await shows(page, [`${areas.length} areas`])
    for (const { id, name } of areas) {
      const from = daysAgo(3)
      const { visits } = await ask<AreaVisitList>(`areas/${id}/visits?fromTimestamp=${from}T00:00Z&shortestStayS=120`)
      await page.goto(`/#/areas?area=${id}&visits=true&from=${from}&to=${daysAgo(0)}`)
      const cars = new Set(visits.map(({ vehicleId }) => vehicleId)).size
      await shows(page, [`Who was here: ${name}`], [`Visits: ${visits.length} · Cars: ${cars}`])
      const rows = visits.map(each => {
        const times = [each.enterTimestamp, each.leaveTimestamp].map(english.dateTime)
        return [plateOf(each.vehicleId), ...times, duration(each.duration), english.distance(each.distance)]
      })
      await expect.poll(async () => sorted(await rowsOf(page)), PATIENCE).toEqual(sorted(rows))
    }
  })

  test.each([
    [english, 'incidents', 'not acknowledged', 'over'],
    [german, 'Vorfälle', 'noch nicht bestätigt', 'vorbei'],
  ] as const)('incidents, one of them, and rules: $language', async (reader, many, unseen, over) => {
    const page = await visit('/incidents?range=year', reader)
    await shows(page, [`${incidents.length} ${many}`, `${incidents.length} ${unseen}`])
    const peakOf = ({ peak }: Incident) => {
      if (!peak) return []
      return [peak.unit === 'km/h' ? reader.speed(peak.value, 1) : `${reader.number(peak.value)} ${peak.unit}`]
    }
    const lines = incidents.map(incident => {
      const length = lengthOf(incident.startTimestamp, incident.endTimestamp)
      const state = incident.kind === 'AREA_LEFT' ? over : `${over}, ${length}`
      return [plateOf(incident.vehicleId), reader.dateTime(incident.startTimestamp), state, ...peakOf(incident)]
    })
    const shown = async () => (await rowsOf(page)).map((cells, at) => cells.slice(2, 2 + (lines[at]?.length ?? 0)))
    await expect.poll(shown, PATIENCE).toEqual(lines)
    for (const [severity, found] of grouped(incidents, incident => incident.severity)) {
      await page.goto(`/#/incidents?severity=${severity}&range=year`)
      await shows(page, ['', `${found.length} ${unseen}`])
    }
    const fast = incidents.find(({ kind }) => kind === 'SPEEDING') as Incident
    await page.goto(`/#/incidents/${fast.id}`)
    await shows(page, [lengthOf(fast.startTimestamp, fast.endTimestamp)], peakOf(fast), [reader.speed(50, 3)])

    const { rules } = await ask<RuleList>('rules')
    await page.goto('/#/rules')
    await expect.poll(async () => (await rowsOf(page)).length, PATIENCE).toBe(rules.length)
    await shows(page, [reader.speed(50, 3)])
    for (const { id, name } of rules) {
      await page.goto('/#/rules')
      await page.getByRole('link', { name: new RegExp(`(rule|Regel) ${name}$`) }).click()
      const found = incidents.filter(({ ruleId }) => ruleId === id).length
      await shows(page, ['', `${found} ${unseen}`])
    }
  })

  test('faults now, by code and by car, and those that are gone', async () => {
    const page = await visit('/faults')
    const gone = codes.filter(code => !current().includes(code))
    const carsOf = (of: readonly Dtc[]) => new Set(of.map(({ vehicleId }) => vehicleId)).size
    const lamps = vehicles.filter(car => latest(car, 'IS_MIL_ON') === true).length
    const views = [
      ['', (code: Dtc) => [plateOf(code.vehicleId), code.code]],
      ['?group=code', (code: Dtc) => [code.code]],
      ['?group=car', (code: Dtc) => [plateOf(code.vehicleId), code.code, '1 code']],
    ] as const
    for (const [view, line] of views) {
      await page.goto(`/#/faults${view}`)
      const cars = ['Cars with fault codes', carsOf(current())]
      await shows(page, ['Fault codes', current().length, ...cars, 'Warning light on', lamps], ...current().map(line))
    }
    await page.goto('/#/faults?view=history')
    await shows(page, ['Resolved codes', gone.length, 'Cars that had them', carsOf(gone)])
    const rows = gone.map(({ vehicleId, code, recordedTimestamp, deleteTimestamp }) => {
      const times = [recordedTimestamp, deleteTimestamp].map(english.dateTime)
      return [plateOf(vehicleId), code, ...times, lengthOf(recordedTimestamp, deleteTimestamp)]
    })
    await expect
      .poll(async () => sorted((await rowsOf(page)).map(cells => cells.toSpliced(2, 2).slice(0, 5))), PATIENCE)
      .toEqual(sorted(rows))
  })

  test.each([
    [english, 'before', 'Table'],
    [german, 'davor', 'Tabelle'],
  ] as const)('statistics, their bins, hours and cars: $language', async (reader, word, table) => {
    const page = await visit('/statistics', reader)
    const [now, then] = [between(daysAgo(29), daysAgo(0)), between(daysAgo(59), daysAgo(30))].map(of => ({
      ...summed(of),
      most: { km: Math.max(...of.map(trip => trip.distance)), s: Math.max(...of.map(trip => trip.duration)) },
    }))
    if (!now || !then) throw new Error('there are two periods')
    const figure = (is: number, was: number, format: (value: number) => string, more = '') =>
      [`${format(is)}${more}`, `${reader.change(is / was)} (${word}: ${format(was)})`] as const
    await shows(
      page,
      figure(now.km, then.km, reader.distance),
      figure(now.s, then.s, duration),
      figure(now.count, then.count, reader.number),
      figure(now.km / now.count, then.km / then.count, reader.distance, ` · ${duration(now.s / now.count)}`),
      figure(now.most.km, then.most.km, reader.distance),
      figure(now.most.s, then.most.s, duration),
    )
    const cars = grouped(between(daysAgo(29), daysAgo(0)), trip => trip.vehicleId).map(([id, of]) => {
      const { count, km, s } = summed(of)
      const { make, model, licensePlate } = vehicles.find(vehicle => vehicle.id === id) as Vehicle
      const driven = [reader.distance(km), reader.percent(km / now.km), duration(s)]
      return [licensePlate, `${make} ${model}`, ...driven, reader.number(count), reader.distance(km / count)]
    })
    const shown = async () => sorted(await rowsOf(page, /^(Per car|Je Fahrzeug)$/))
    await expect.poll(shown, PATIENCE).toEqual(sorted(cars))
    const fromTimestamp = between(daysAgo(29), daysAgo(0)).at(-1)?.tripStartTimestamp ?? ''
    const query = new URLSearchParams({ timeZone: TIME_ZONE, fromTimestamp }).toString()
    const hours = await ask<DrivingHour[]>(`aggregations/hours?${query}`)
    const secondsIn = (weekday: number, hour: number) =>
      hours.find(each => each.weekday === weekday && each.hour === hour)?.duration ?? 0
    const week = Array.from({ length: 7 }, (_, day) =>
      Array.from({ length: 24 }, (_each, hour) => duration(secondsIn(day + 1, hour))),
    )
    const grid = async () => (await rowsOf(page, /weekday and hour|Wochentag und/)).map(cells => cells.slice(1))
    await expect.poll(grid, PATIENCE).toEqual(week)

    await page.goto(`/#/statistics?from=${daysAgo(9)}&to=${daysAgo(1)}&by=DAY`)
    await page.getByText(table, { exact: true }).click()
    const bins = [1, 2, 3, 4, 5, 6, 7, 8, 9].map(daysAgo).map(day => {
      const { count, km, s } = summed(on(day))
      const each = on(day).map(trip => trip.distance)
      const ofTrips = [km / count, Math.max(...each), Math.min(...each)].map(reader.distance)
      const driven = [reader.distance(km), duration(s), reader.number(count)]
      return [reader.day(`${day}T11:00Z`), ...driven, ...(count === 0 ? ['–', '–', '–'] : ofTrips)]
    })
    await expect.poll(() => rowsOf(page), PATIENCE).toEqual(bins)
  })
})
