import { afterEach, describe, expect, test } from 'vitest'
import { deviceThat, event, factsOf, NOW_MS, vehicleWith } from '../../test/made-car.ts'
import type { Device, LastEvent } from '../api/types.ts'
import { loadLanguage, speak } from '../language/language.ts'
import { type CarFacts, type CarState, carStateOf, type Reason } from './car-state.ts'
import { AWAITED, FORBIDDEN, isConnected, type Learned, SILENT_AFTER_MS } from './dongle-state.ts'
import { heardText, movementDetail, parkedText, reasonText, shortDetail } from './state-marks.tsx'

await loadLanguage('de')
afterEach(() => speak('en'))

const HOUR_MS = 3_600_000
const MINUTE_MS = 60_000

/** As `factsOf`, of a car in a trip. */
function inTrip(lastEvents: LastEvent[], more: Partial<Omit<CarFacts, 'vehicle'>> = {}): CarFacts {
  return { ...factsOf(lastEvents, more), vehicle: vehicleWith(lastEvents, { tripId: 'T1' }) }
}

const knownDevice = (device: Device): Learned<Device> => ({ is: 'known', value: device })
const ONLINE = { device: knownDevice(deviceThat(true)) }
const movementOf = (facts: CarFacts) => carStateOf(facts).movement.kind
const reasonsOf = ({ health }: CarState): readonly Reason['kind'][] =>
  health.kind === 'attention' ? health.reasons.map(({ kind }) => kind) : []

describe('what a car does', () => {
  test('a trip is open: it drives, or it stands', () => {
    expect(carStateOf(inTrip([event('GPS_SPEED', 44)], ONLINE)).movement).toEqual({ kind: 'driving', speedKmh: 44 })
    expect(movementOf(inTrip([event('GPS_SPEED', 0)], ONLINE))).toBe('idling')
    expect(movementOf(inTrip([event('BATTERY_VOLTAGE', 14)], ONLINE))).toBe('driving')
  })

  test('of two speeds the newer counts, and an old one says nothing of now', () => {
    const speeds = [event('VEHICLE_SPEED_AVERAGE', 50, 60_000), event('GPS_SPEED', 0)]
    expect(movementOf(inTrip(speeds, ONLINE))).toBe('idling')
    const old = [event('GPS_SPEED', 0, 10 * MINUTE_MS), event('MILEAGE', 7)]
    expect(carStateOf(inTrip(old, ONLINE)).movement).toEqual({ kind: 'driving', speedKmh: undefined })
  })

  test.each([
    ['a car that says it drives, beside a receiver that holds an old fix', 45, 0, true, 'driving'],
    [
      'a receiver that moves, beside a car that says 0 because it never says anything else',
      0,
      45,
      undefined,
      'driving',
    ],
    ['a receiver that wanders while car and sensor say standstill', 0, 4, false, 'idling'],
    ['a sensor of motion against both speeds', 0, 0, true, 'idling'],
  ] as const)('%s', (_case, car, receiver, isMoving, expected) => {
    const speeds = [event('VEHICLE_SPEED_AVERAGE', car, 5000), event('GPS_SPEED', receiver)]
    const sensor = isMoving === undefined ? [] : [event('IS_MOVING', isMoving)]
    const { movement } = carStateOf(inTrip([...speeds, ...sensor], ONLINE))
    expect(movement).toEqual(expected === 'driving' ? { kind: expected, speedKmh: 45 } : { kind: expected })
  })

  test('a dongle that uploads its memory says nothing of what the car does now, whatever it did then', () => {
    const then = [event('GPS_SPEED', 44, 3 * HOUR_MS), event('MILEAGE', 7, 3 * HOUR_MS)]
    const catchingUp = { kind: 'catchingUp', measuredMs: NOW_MS - 3 * HOUR_MS }
    for (const facts of [inTrip(then, ONLINE), factsOf(then, ONLINE)]) {
      const state = carStateOf(facts)
      expect(state.movement).toEqual(catchingUp)
      expect(state.dongle?.contact).toEqual({ kind: 'catchingUp', heardMs: NOW_MS - 3 * HOUR_MS })
      expect(movementDetail(state.movement, NOW_MS)).toContain('3 hr ago')
    }
    // What comes as seldom as it may in a trip is of now.
    expect(movementOf(inTrip([event('MILEAGE', 7, 14 * MINUTE_MS)], ONLINE))).toBe('driving')
  })

  test('a speed that is some minutes old is not shown as the speed of now', () => {
    const state = carStateOf(inTrip([event('GPS_SPEED', 44, 10 * MINUTE_MS)], ONLINE))
    expect(state.movement).toEqual({ kind: 'driving', speedKmh: undefined })
  })

  test('a dongle that sleeps is parked, one that is missing for two days or in a trip is silent', () => {
    expect(movementOf(factsOf([event('MILEAGE', 7, HOUR_MS)]))).toBe('parked')
    expect(carStateOf(factsOf([event('MILEAGE', 7, SILENT_AFTER_MS + 1000)])).movement).toEqual({
      kind: 'silent',
      sinceMs: NOW_MS - SILENT_AFTER_MS - 1000,
      isInTrip: false,
    })
    expect(carStateOf(inTrip([event('GPS_SPEED', 44, HOUR_MS)])).movement).toMatchObject({
      kind: 'silent',
      isInTrip: true,
    })
  })

  test('a setting that people change is no word of the dongle', () => {
    expect(movementOf(factsOf([event('ALARM_SYSTEM', true)]))).toBe('neverReported')
  })
})

describe('the starter battery', () => {
  const warning = [event('BATTERY_VOLTAGE', 11.1), event('BATTERY_STATE', 'Warning')]
  test.each([
    ['the state measured with the voltage holds', warning, 'Warning', 0],
    [
      'a newer voltage in between ends a state',
      [event('BATTERY_VOLTAGE', 12.4), event('BATTERY_STATE', 'Loading', 9)],
      'Normal',
      0,
    ],
    ['a state without a voltage holds', [event('BATTERY_STATE', 'Very Low', 3)], 'Very Low', 3],
    ['a voltage alone is in between', [event('BATTERY_VOLTAGE', 12.4)], 'Normal', 0],
  ])('%s', (_case, events, state, ageMs) => {
    expect(carStateOf(factsOf(events)).battery).toMatchObject({ state, measuredMs: NOW_MS - ageMs })
  })

  test('is charged while something may charge it, and was charged when that has ended or nobody knows', () => {
    const loading = (ageMs: number) => [event('BATTERY_VOLTAGE', 14.2, ageMs), event('BATTERY_STATE', 'Loading', ageMs)]
    const wasCharging = (facts: CarFacts) => carStateOf(facts).battery?.wasCharging
    expect(wasCharging(inTrip(loading(6 * MINUTE_MS), ONLINE))).toBe(false)
    expect(wasCharging(factsOf(loading(MINUTE_MS), ONLINE))).toBe(false)
    expect(wasCharging(factsOf([...loading(MINUTE_MS), event('IS_IGNITION_ON', false, MINUTE_MS)], ONLINE))).toBe(true)
    // Asleep for six minutes: parked, and what its battery did then.
    expect(wasCharging(factsOf(loading(6 * MINUTE_MS)))).toBe(true)
    expect(carStateOf(factsOf([])).battery).toBeUndefined()
  })
})

describe('contradictions that were seen', () => {
  test('a battery state that a newer voltage ended is no reason for attention', () => {
    const state = carStateOf(factsOf([event('BATTERY_STATE', 'Very Low', HOUR_MS), event('BATTERY_VOLTAGE', 12.4)]))
    expect(state.health).toEqual({ kind: 'healthy' })
  })

  test('a count of codes that a newer list of codes ended is no reason either', () => {
    const state = carStateOf(factsOf([event('OBD_DTC_COUNT', 2, HOUR_MS), event('OBD_DTC_PERMANENT', '')]))
    expect(state.health).toEqual({ kind: 'healthy' })
  })

  test('codes that the page lists are a reason, also where nothing counts them', () => {
    const state = carStateOf(factsOf([event('OBD_DTC_COUNT', 0)], { codes: { is: 'known', value: ['P0420'] } }))
    expect(reasonsOf(state)).toEqual(['codes'])
  })

  test('without the permission for devices, a car that drives drives', () => {
    const drives = inTrip([event('GPS_SPEED', 44, 3 * MINUTE_MS)], { device: { is: 'forbidden' } })
    expect(carStateOf(drives).movement).toEqual({ kind: 'driving', speedKmh: 44 })
    // One that sends as seldom as dongles may, too; one that has been missing for long does not.
    const seldom = inTrip([event('GPS_SPEED', 44, 12 * MINUTE_MS)], { device: { is: 'forbidden' } })
    expect(movementOf(seldom)).toBe('driving')
    const missing = inTrip([event('GPS_SPEED', 44, HOUR_MS)], { device: { is: 'forbidden' } })
    expect(movementOf(missing)).toBe('silent')
  })

  test('not being allowed to know is not the same as nothing', () => {
    const unseen = { codes: FORBIDDEN, device: FORBIDDEN, mayReadPositions: false }
    const state = carStateOf(factsOf([event('MILEAGE', 7)], unseen))
    expect(state.place).toEqual({ kind: 'forbidden' })
    expect(state.health).toEqual({ kind: 'forbidden' })
  })

  test('a car that never reported is not healthy, and neither is one that reports nothing that would tell', () => {
    expect(carStateOf(factsOf([])).health).toEqual({ kind: 'unknown' })
    expect(carStateOf(factsOf([event('POSITION', 'POINT(9 51)')])).health).toEqual({ kind: 'unknown' })
    expect(carStateOf(factsOf([event('POSITION', 'POINT(9 51)')])).areCodesRead).toBe(false)
  })

  test('a dongle that never reported is not unplugged', () => {
    expect(carStateOf(factsOf([])).dongle).toEqual({ contact: { kind: 'never' }, plug: 'unknown' })
    // Nor is one that sleeps and never said anything of its plug, which the service can only guess.
    expect(carStateOf(factsOf([event('MILEAGE', 7, HOUR_MS)])).dongle?.plug).toBe('unknown')
  })

  test('a dongle that is unplugged is a reason for attention', () => {
    const state = carStateOf(factsOf([event('IS_DONGLE_PLUGGED_IN', false, HOUR_MS), event('MILEAGE', 7, HOUR_MS)]))
    expect(state.dongle?.plug).toBe('out')
    expect(reasonsOf(state)).toEqual(['unplugged'])
  })

  test('a car whose dongle moved away says so, and since when', () => {
    const vehicle = vehicleWith([event('GPS_SPEED', 44, MINUTE_MS)], { deviceId: null })
    const state = carStateOf({ ...factsOf([]), vehicle })
    expect(state.movement).toEqual({ kind: 'withoutDongle', sinceMs: NOW_MS - MINUTE_MS })
    expect(state.dongle).toBeUndefined()
  })

  test('a new dongle was not heard when the one before was', () => {
    const other = event('GPS_SPEED', 0, HOUR_MS, 1)
    const state = carStateOf(factsOf([other]))
    expect(state.movement.kind).toBe('neverReported')
    expect(state.dongle?.contact).toEqual({ kind: 'never' })
  })

  test('a dongle that is online without any values is online now, and has no values yet', () => {
    const state = carStateOf(factsOf([], ONLINE))
    expect(state.dongle).toEqual({ contact: { kind: 'online', heardMs: undefined }, plug: 'in' })
    expect(state.movement.kind).toBe('neverReported')
  })
})

describe('reasons for attention', () => {
  test('the most urgent comes first, in words', () => {
    const state = carStateOf(
      factsOf([event('IS_MIL_ON', true), event('BATTERY_STATE', 'Empty'), event('BATTERY_VOLTAGE', 5.9)], {
        codes: { is: 'known', value: ['P0301', 'P0420', 'P0171', 'P0172'] },
      }),
    )
    const reasons = state.health.kind === 'attention' ? state.health.reasons : []
    expect(reasons.map(reason => reasonText(reason))).toEqual([
      'Starter battery empty (5.9\u00a0V)',
      'Engine warning light on',
      'Fault codes P0301, P0420, P0171 and 1 more',
    ])
    speak('de')
    expect(reasons.map(reason => reasonText(reason))).toEqual([
      'Starterbatterie leer (5,9\u00a0V)',
      'Motorkontrollleuchte an',
      'Fehlercodes P0301, P0420, P0171 und 1 weitere',
    ])
  })

  const UNREAD = { is: 'known', value: [] } as const
  test.each([
    [UNREAD, 1, '1 fault code, not read yet', '1 Fehlercode, noch nicht ausgelesen'],
    [UNREAD, 3, '3 fault codes, not read yet', '3 Fehlercodes, noch nicht ausgelesen'],
    [FORBIDDEN, 2, '2 fault codes that you may not see', '2 Fehlercodes, die Sie nicht sehen dürfen'],
    [AWAITED, 2, '2 fault codes', '2 Fehlercodes'],
  ])('codes of which only the number is known, to anybody or to this person: %o', (codes, count, english, german) => {
    const { health } = carStateOf(factsOf([event('OBD_DTC_COUNT', count)], { codes }))
    if (health.kind !== 'attention') throw new Error('the car has nothing')
    expect(reasonText(health.reasons[0])).toBe(english)
    speak('de')
    expect(reasonText(health.reasons[0])).toBe(german)
  })
})

test('fuel or charge is what was measured last', () => {
  const energyOf = (...events: LastEvent[]) => carStateOf(factsOf(events)).energy
  const percent = { ...event('FUEL_LEVEL_PERCENT', 40), unit: '%' }
  const charge = { ...event('HV_BATTERY_SOC', 80), unit: '%' }
  expect(energyOf(percent)).toEqual({ kind: 'fuel', value: 40, unit: '%', isCharging: false })
  expect(energyOf(percent, charge, event('HV_BATTERY_IS_CHARGING', true))).toEqual({
    kind: 'charge',
    value: 80,
    unit: '%',
    isCharging: true,
  })
  expect(energyOf(event('MILEAGE', 7))).toBeUndefined()
  expect(energyOf(charge, event('HV_BATTERY_IS_CHARGING', true, 5 * HOUR_MS))?.isCharging).toBe(false)
})

test.each([
  [0.05, 'en', 'parked for 3\u00a0min'],
  [3.05, 'de', 'parkt seit 3\u00a0h\u00a003\u00a0min'],
  [47, 'en', 'parked for 47\u00a0h\u00a000\u00a0min'],
  [49, 'en', 'parked for 2 days'],
  [200, 'de', 'parkt seit 8 Tagen'],
  // Its clock is ahead of this one.
  [-1, 'en', ''],
] as const)('%d hours after its trip, a car is in %s "%s"', (hours, language, text) => {
  speak(language)
  expect(parkedText(NOW_MS - hours * HOUR_MS, NOW_MS)).toBe(text)
})

/** Every combination of what a person may see, what a car reported when, and what the service says of its dongle. */
function* everyCombination(): Generator<CarFacts> {
  const ages = [MINUTE_MS, 12 * MINUTE_MS, HOUR_MS, SILENT_AFTER_MS + HOUR_MS]
  const kindsOfData = (ageMs: number): LastEvent[][] => [
    [],
    [event('ALARM_SYSTEM', true, ageMs)],
    [event('MILEAGE', 7, ageMs, 1)],
    [event('POSITION', 'POINT(9 51)', ageMs)],
    [event('POSITION', 'POINT(9 51)', ageMs), event('GPS_SPEED', 44, ageMs), event('BATTERY_VOLTAGE', 14, ageMs)],
    [event('GPS_SPEED', 0, ageMs), event('IS_MIL_ON', true, ageMs), event('OBD_DTC_COUNT', 2, ageMs)],
    [event('GPS_SPEED', 0, ageMs), event('VEHICLE_SPEED_AVERAGE', 45, ageMs), event('BATTERY_VOLTAGE', 14, ageMs)],
    [event('BATTERY_STATE', 'Empty', ageMs), event('IS_DONGLE_PLUGGED_IN', false, ageMs)],
    [event('BATTERY_STATE', 'Empty', ageMs), event('BATTERY_VOLTAGE', 12, ageMs - MINUTE_MS)],
    [event('OBD_DTC_PERMANENT', 'P0301', ageMs), event('IS_DONGLE_PLUGGED_IN', true, ageMs)],
    [event('OBD_DTC_PERMANENT', '', ageMs), event('OBD_DTC_COUNT', 2, ageMs + HOUR_MS)],
  ]
  const both = [true, false]
  const devices: Learned<Device | undefined>[] = [
    FORBIDDEN,
    AWAITED,
    { is: 'known', value: undefined },
    ...both.flatMap(isOnline => both.map(isPluggedIn => knownDevice(deviceThat(isOnline, isPluggedIn)))),
  ]
  const codes = [FORBIDDEN, AWAITED, ...[[], ['P0301']].map(value => ({ is: 'known', value }) as const)]
  for (const events of ages.flatMap(kindsOfData))
    for (const deviceId of [null, vehicleWith([]).deviceId])
      for (const tripId of ['', 'T1'])
        for (const device of devices)
          for (const code of codes)
            for (const mayReadPositions of [true, false]) {
              // The service leaves positions out for who may not see them.
              const told = mayReadPositions ? events : events.filter(({ eventType }) => eventType !== 'POSITION')
              const vehicle = vehicleWith(told, { deviceId, tripId })
              yield { vehicle, device, codes: code, mayReadPositions, nowMs: NOW_MS }
            }
}

function drivesOf({ lastEvents }: CarFacts['vehicle']): boolean {
  return lastEvents.some(({ eventType, value }) => eventType === 'VEHICLE_SPEED_AVERAGE' && Number(value) > 0)
}

/** Statements of one page that cannot both be true; empty when there are none. */
function contradictionsIn(state: CarState, { vehicle, codes, device, mayReadPositions }: CarFacts): readonly string[] {
  const { movement, health, place, dongle, areCodesRead, newestMs } = state
  const contact = dongle?.contact.kind
  const reasons = reasonsOf(state)
  const isMoving = movement.kind === 'driving' || movement.kind === 'idling'
  const contradictions: readonly (readonly [statement: string, isContradicted: boolean])[] = [
    ['it moves, but has no contact', isMoving && contact !== 'online'],
    ['it moves, by values of long ago', isMoving && newestMs !== undefined && NOW_MS - newestMs > 15 * MINUTE_MS],
    ['it is parked, by values of long ago that come now', movement.kind === 'parked' && contact === 'catchingUp'],
    ['it catches up, but its dongle does not', (movement.kind === 'catchingUp') !== (contact === 'catchingUp')],
    [
      'it catches up with values of now',
      contact === 'catchingUp' && newestMs !== undefined && NOW_MS - newestMs <= 15 * MINUTE_MS,
    ],
    ['it stands, but says that it drives', movement.kind === 'idling' && drivesOf(vehicle)],
    ['it moves, but in no trip', isMoving && vehicle.tripId === ''],
    ['it moves, but was never heard', isMoving && newestMs === undefined],
    [
      'a speed beside other words than driving',
      /km\/h/.test(shortDetail(state, NOW_MS)) && movement.kind !== 'driving',
    ],
    ['parked, but silent or never heard', movement.kind === 'parked' && (contact === 'silent' || contact === 'never')],
    ['silent, but its dongle is online', movement.kind === 'silent' && contact !== 'silent'],
    ['its dongle is silent, but the car is not', contact === 'silent' && movement.kind !== 'silent'],
    [
      'silent, but online by the word of the service',
      contact === 'silent' && device.is === 'known' && device.value?.isOnline === true,
    ],
    ['no dongle in it, but one that does something', movement.kind === 'withoutDongle' && dongle !== undefined],
    ['a dongle in it, and none', movement.kind === 'withoutDongle' && vehicle.deviceId !== null],
    ['never heard, but since when', contact === 'never' && 'sinceMs' in movement],
    ['never heard, but unplugged', contact === 'never' && dongle?.plug === 'out'],
    [
      'online, but last heard at another time than now',
      dongle !== undefined && isConnected(dongle.contact) && heardText(dongle.contact, NOW_MS) !== 'now',
    ],
    [
      'online, but last heard never',
      dongle !== undefined && isConnected(dongle.contact) && movementDetail(movement, NOW_MS).includes('never'),
    ],
    ['well, but a reason for attention', health.kind === 'healthy' && reasons.length > 0],
    ['well, but the page lists codes', health.kind === 'healthy' && codes.is === 'known' && codes.value.length > 0],
    ['well, but nothing was ever reported', health.kind === 'healthy' && newestMs === undefined],
    [
      'attention for named codes, but the page lists none',
      reasons.includes('codes') && (codes.is !== 'known' || codes.value.length === 0),
    ],
    ['named and unnamed codes', reasons.includes('codes') && reasons.includes('unnamedCodes')],
    [
      'no fault codes with a tick, but codes',
      !areCodesRead && (reasons.includes('codes') || reasons.includes('unnamedCodes')),
    ],
    ['unplugged as a reason, but plugged in', reasons.includes('unplugged') && dongle?.plug !== 'out'],
    ['no position yet for who may not see it', !mayReadPositions && place.kind !== 'forbidden'],
    ['may not be seen for who may', mayReadPositions && place.kind === 'forbidden'],
    ['a place without anything heard', place.kind === 'at' && newestMs === undefined],
    ['faults may not be seen for who may', health.kind === 'forbidden' && codes.is !== 'forbidden'],
  ]
  return contradictions.filter(([, isContradicted]) => isContradicted).map(([statement]) => statement)
}

test('whatever a person may see, a car reported and its dongle does, no two statements contradict each other', () => {
  const found = new Map<string, CarFacts>()
  const seen = new Set<string>()
  let combinations = 0
  for (const facts of everyCombination()) {
    const state = carStateOf(facts)
    for (const contradiction of contradictionsIn(state, facts)) found.set(contradiction, facts)
    seen.add(state.movement.kind).add(state.health.kind)
    combinations++
  }
  expect(Object.fromEntries(found)).toEqual({})
  expect(combinations).toBeGreaterThan(4000)
  const movements = ['driving', 'idling', 'parked', 'catchingUp', 'silent', 'withoutDongle', 'neverReported']
  const healths = ['attention', 'healthy', 'unknown', 'awaited', 'forbidden']
  expect([...seen].sort()).toEqual([...movements, ...healths].sort())
})
