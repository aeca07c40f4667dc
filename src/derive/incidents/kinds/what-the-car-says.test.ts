import { describe, expect, it } from 'vitest'
import { incidentsIn, ruleOf, rulesOf, spansIn } from '../../../../test/found-incidents.ts'
import { at, every, ignition, NOON_MS, place } from '../../../../test/trip-samples.ts'

describe('a value', () => {
  const above = ruleOf('VALUE_ABOVE', { eventType: 'ENGINE_OIL_TEMPERATURE', limit: 130, hysteresis: 5, forS: 60 })
  const oil = (fromS: number, toS: number, celsius: number) =>
    every(20, fromS, toS, () => ({ ENGINE_OIL_TEMPERATURE: celsius }))

  it('above a limit for long is found with its peak, and ends when it is back by the hysteresis', () => {
    const samples = [
      ...oil(0, 40, 120),
      ...oil(60, 120, 134),
      ...oil(140, 200, 127),
      ...oil(220, 240, 140),
      ...oil(260, 300, 124),
    ]
    expect(spansIn(above, samples)).toEqual([[60, 240]])
    expect(incidentsIn(rulesOf([above]), samples)[0]).toMatchObject({ peak: 140, peakMs: NOON_MS + 220_000 })
  })

  it('above a limit for an instant is not found, unless an instant counts', () => {
    const samples = [...oil(0, 40, 120), ...oil(60, 60, 134), ...oil(80, 200, 120)]
    expect(spansIn(above, samples)).toEqual([])
    expect(spansIn({ ...above, parameters: { ...above.parameters, forS: 0 } }, samples)).toEqual([[60, 60]])
  })

  it('below a limit is found with the lowest', () => {
    const below = ruleOf('VALUE_BELOW', { eventType: 'REMAINING_RANGE', limit: 50, forS: 0 })
    const samples = [60, 48, 30, 49, 55].map((range, index) => at(index * 60, { REMAINING_RANGE: range }))
    expect(incidentsIn(rulesOf([below]), samples)).toEqual([
      expect.objectContaining({ peak: 30, endMs: NOON_MS + 180_000 }),
    ])
  })

  it('of the coolant that is too hot is found, and what cars send for none is not', () => {
    const coolant = (seconds: number, celsius: number) => at(seconds, { ENGINE_COOLANT_TEMPERATURE: celsius })
    const samples = [90, 113, 118, 119, 108, 106, 215].map((celsius, index) => coolant(index * 30, celsius))
    expect(spansIn(ruleOf('ENGINE_HOT'), samples)).toEqual([[30, 120]])
  })
})

describe('a trouble code', () => {
  const list = (seconds: number, codes: string) => at(seconds, { OBD_DTC_PERMANENT: codes })
  const details = (parameters: Parameters<typeof ruleOf>[1], ...samples: Parameters<typeof incidentsIn>[1]) =>
    incidentsIn(rulesOf([ruleOf('TROUBLE_CODE', parameters)]), samples).map(({ detail, startMs, endMs }) => [
      detail,
      (startMs - NOON_MS) / 1000,
      endMs && (endMs - NOON_MS) / 1000,
    ])

  it('lasts from the first list with it to the first without', () => {
    expect(details({}, list(0, ''), list(60, 'P0301'), list(120, 'P0301,U0100'), list(180, 'U0100'))).toEqual([
      ['P0301', 60, 180],
      ['U0100', 120, null],
    ])
  })

  it('is chosen by pattern, control unit and kind', () => {
    const samples = [list(0, 'P0301,P0420,7E9:P0700'), at(60, { OBD_DTC_SPORADIC: 'P0302,U0100' })] as const
    const codes = (parameters: Parameters<typeof ruleOf>[1]) => details(parameters, ...samples).map(([code]) => code)
    expect(codes({ pattern: 'P03*' })).toEqual(['P0301', 'P0302'])
    expect(codes({ pattern: 'p?4?0' })).toEqual(['P0420'])
    expect(codes({ pattern: '*00' })).toEqual(['P0700', 'U0100'])
    expect(codes({ ecuTypeId: 2 })).toEqual(['P0700'])
    expect(codes({ listed: 'SPORADIC' })).toEqual(['P0302', 'U0100'])
    expect(codes({ pattern: 'B*' })).toEqual([])
  })

  it('that goes from sporadic to permanent is one', () => {
    const samples = [
      at(0, { OBD_DTC_SPORADIC: 'P0301' }),
      at(60, { OBD_DTC_SPORADIC: '', OBD_DTC_PERMANENT: 'P0301' }),
      at(120, { OBD_DTC_PERMANENT: '' }),
    ]
    expect(details({}, ...samples)).toEqual([['P0301', 0, 120]])
  })
})

describe('what the dongle says', () => {
  it('of the malfunction indicator lasts until it says otherwise', () => {
    const samples = [true, true, false, true].map((isOn, index) => at(index * 100_000, { IS_MIL_ON: isOn }))
    expect(spansIn(ruleOf('MIL_ON'), samples)).toEqual([
      [0, 200_000],
      [300_000, null],
    ])
  })

  it('of being unplugged lasts until it is plugged in', () => {
    const samples = [
      ignition(0, true),
      at(60, { IS_DONGLE_PLUGGED_IN: false }),
      at(120, { GPS_SPEED: 4 }),
      at(600, { IS_DONGLE_PLUGGED_IN: true }),
    ]
    expect(spansIn(ruleOf('UNPLUGGED'), samples)).toEqual([[60, 600]])
  })

  it('is missed while it is silent', () => {
    const rule = ruleOf('OFFLINE', { forMinutes: 60 })
    expect(spansIn(rule, [ignition(0, true), ignition(3500, false), ignition(9000, false)])).toEqual([[3500, 9000]])
  })
})

it('a crash is found with its strength; what follows at once is part of it', () => {
  const samples = [at(0, { WEAK_CRASH: 22 }), at(2, { SEVERE_CRASH: 61 }), at(100, {}), at(500, { WEAK_CRASH: 25 })]
  expect(
    incidentsIn(rulesOf([ruleOf('CRASH')]), samples).map(({ startMs, endMs, peak }) => [
      startMs - NOON_MS,
      endMs && endMs - NOON_MS,
      peak,
    ]),
  ).toEqual([
    [0, 2000, 61],
    [500_000, 500_000, 25],
  ])
  expect(spansIn(ruleOf('CRASH', { strength: 'SEVERE' }), samples)).toEqual([[2, 2]])
})

describe('harsh driving', () => {
  it('is what the dongle calls so', () => {
    const samples = [
      at(0, { HARSH_BRAKING: 4.1 }),
      at(3, { EXTREME_BRAKING: 7 }),
      at(60, { HARSH_BRAKING_COUNT: 1 }),
      at(70, {}),
    ]
    expect(
      incidentsIn(rulesOf([ruleOf('HARSH_BRAKING')]), samples).map(({ startMs, peak }) => [startMs - NOON_MS, peak]),
    ).toEqual([
      [0, 7],
      [60_000, null],
    ])
    expect(spansIn(ruleOf('HARSH_ACCELERATION'), samples)).toEqual([])
    const counted = [1, 1, 2, 2].map((count, index) => at(index * 60, { HARSH_CORNERING_COUNT: count }))
    expect(spansIn(ruleOf('HARSH_CORNERING'), counted)).toEqual([
      [0, 0],
      [120, 120],
    ])
  })

  const braking = (everyS: number) =>
    [60, 60, 42, 24, 6, 0, 0].map((kmh, index) =>
      at(index * everyS, { VEHICLE_SPEED_AVERAGE: kmh, POSITION: place(0, index * 10) }),
    )

  it('is seen in speeds a second apart, by the class of the vehicle', () => {
    expect(spansIn(ruleOf('HARSH_BRAKING'), braking(1))).toEqual([[2, 4]])
    const gentle = [60, 60, 46, 32, 18, 4, 0].map((kmh, index) => at(index, { VEHICLE_SPEED_AVERAGE: kmh }))
    expect(spansIn(ruleOf('HARSH_BRAKING'), gentle)).toEqual([])
    expect(spansIn(ruleOf('HARSH_BRAKING', { vehicleClass: 'TRUCK' }), gentle)).toEqual([])
    const faster = [60, 60, 45.5, 31, 16.5, 2, 0].map((kmh, index) => at(index, { VEHICLE_SPEED_AVERAGE: kmh }))
    expect(spansIn(ruleOf('HARSH_BRAKING', { vehicleClass: 'TRUCK' }), faster)).toEqual([[2, 5]])
    expect(spansIn(ruleOf('HARSH_BRAKING', { vehicleClass: 'CAR' }), faster)).toEqual([])
  })

  it.each([1, 2, 5, 10])('is not seen between two times, of a clock that was set back: every %i s', everyS => {
    for (const share of [0.1, 0.2, 0.3, 0.35]) {
      const right = every(everyS, 0, 60, seconds => ({ GPS_SPEED: 20, POSITION: place(seconds * 5) }))
      const wrong = every(everyS, 20 + share * everyS, 60, seconds => ({ GPS_SPEED: 0, POSITION: place(seconds) }))
      const samples = [...right, ...wrong].toSorted((a, b) => a.timeMs - b.timeMs)
      expect(spansIn(ruleOf('HARSH_BRAKING'), samples)).toEqual([])
    }
  })

  it('is not seen between a mean and a reading at the instant', () => {
    const samples = [
      at(0, { VEHICLE_SPEED_AVERAGE: 60, VEHICLE_SPEED_MAX: 80 }),
      at(1, { GPS_SPEED: 10, POSITION: place(0) }),
      at(2, { VEHICLE_SPEED_AVERAGE: 40 }),
    ]
    expect(spansIn(ruleOf('HARSH_BRAKING'), samples)).toEqual([])
    expect(spansIn(ruleOf('HARSH_ACCELERATION'), samples)).toEqual([])
  })

  it('is not seen in speeds farther apart, but in two steps', () => {
    expect(spansIn(ruleOf('HARSH_BRAKING'), braking(10))).toEqual([])
    const short = [60, 60, 38, 28, 27].map((kmh, index) => at(index, { VEHICLE_SPEED_AVERAGE: kmh }))
    expect(spansIn(ruleOf('HARSH_BRAKING'), short)).toEqual([[2, 2]])
  })

  it.each([[[60, 0, 60]], [[60, 60, 90, 60, 60]], [[60, 60, 25, 25, 60, 60]], [[60, 60, 60, 28, 24, 20]]])(
    'is not seen where one speed is wrong, or old: %j',
    speeds => {
      const samples = speeds.map((speed, index) => at(index, { VEHICLE_SPEED_AVERAGE: speed }))
      for (const kind of ['HARSH_BRAKING', 'HARSH_ACCELERATION'] as const)
        expect(spansIn(ruleOf(kind), samples)).toEqual([])
    },
  )

  it('is seen in a tight bend', () => {
    const bend = [0, 20, 40, 60].map((course, index) =>
      at(index, { GPS_SPEED: 60, GPS_COURSE: (350 + course) % 360, POSITION: place(index * 12) }),
    )
    expect(spansIn(ruleOf('HARSH_CORNERING'), bend)).toEqual([[1, 3]])
  })
})

describe('a service', () => {
  it('is due when the odometer gets there, and again after each interval', () => {
    const rule = ruleOf('SERVICE_DUE_KM', { dueKm: 30_000, everyKm: 10_000, aheadKm: 100 })
    const km = [29_800, 29_890, 29_905, 29_990, 30_010, 39_890, 39_950].map((value, index) =>
      at(index * 300_000, { MILEAGE: value }),
    )
    expect(incidentsIn(rulesOf([rule]), km).map(({ detail, peak }) => [detail, peak])).toEqual([
      ['30000', 29_905],
      ['40000', 39_950],
    ])
  })

  it('is not due because of a single wrong odometer', () => {
    const rule = ruleOf('SERVICE_DUE_KM', { dueKm: 30_000 })
    const km = [20_000, 90_000, 20_010, 20_020].map((value, index) => at(index * 600, { MILEAGE: value }))
    expect(spansIn(rule, km)).toEqual([])
  })

  it('is due after so many engine hours', () => {
    const rule = ruleOf('SERVICE_DUE_HOURS', { engineHours: 99, dueHours: 100, everyHours: 0 })
    const samples = [
      ...every(600, 0, 3000, () => ({ ENGINE_STATE: true })),
      at(3010, { ENGINE_STATE: false }),
      ...every(600, 9000, 12_000, () => ({ ENGINE_STATE: true })),
    ]
    expect(incidentsIn(rulesOf([rule]), samples)).toEqual([
      expect.objectContaining({ detail: '100', startMs: NOON_MS + 9_600_000 }),
    ])
  })

  it('is due on a date, ahead of it, and again after each interval', () => {
    const day = (date: string) => (Date.parse(`${date}T12:00:00Z`) - NOON_MS) / 1000
    const samples = ['2026-01-15', '2026-01-16', '2026-01-17', '2026-01-31', '2026-02-27', '2026-04-20'].map(date =>
      at(day(date), {}),
    )
    const due = (parameters: Readonly<Record<string, string | number>>) =>
      incidentsIn(rulesOf([ruleOf('SERVICE_DUE_DATE', parameters)]), samples).map(({ detail, startMs, peak }) => [
        detail,
        new Date(startMs).toISOString().slice(0, 10),
        peak,
      ])
    expect(due({ dueDate: '2026-01-31', everyMonths: 0, aheadDays: 14 })).toEqual([['2026-01-31', '2026-01-17', 13]])
    // February is shorter. Of two that have come since the last measurement, the later one is found.
    expect(due({ dueDate: '2026-01-31', everyMonths: 1, aheadDays: 1 })).toEqual([
      ['2026-01-31', '2026-01-31', -1],
      ['2026-02-28', '2026-02-27', 0],
      ['2026-03-31', '2026-04-20', -21],
    ])
    expect(due({ dueDate: '1999-01-20', everyMonths: 12, aheadDays: 0 })).toEqual([
      ['2025-01-20', '2026-01-15', -361],
      ['2026-01-20', '2026-01-31', -12],
    ])
    expect(due({ dueDate: '2027-01-20', everyMonths: 12, aheadDays: 30 })).toEqual([])
  })

  it('is due when the car says so', () => {
    const samples = [
      at(0, { INSPECTION_REMAINING_DISTANCE: 1500, OIL_CHANGE_REMAINING_TIME: 20 }),
      at(60, { INSPECTION_REMAINING_DISTANCE: 900 }),
      at(120, { INSPECTION_REMAINING_TIME: 10, OIL_CHANGE_REMAINING_TIME: 14 }),
      at(180, { INSPECTION_REMAINING_DISTANCE: 30_000, INSPECTION_REMAINING_TIME: 365 }),
    ]
    const found = incidentsIn(rulesOf([ruleOf('SERVICE_DUE')]), samples)
    expect(found.map(({ detail, startMs, endMs }) => [detail, startMs - NOON_MS, endMs && endMs - NOON_MS])).toEqual([
      ['INSPECTION', 60_000, 180_000],
      ['OIL_CHANGE', 120_000, null],
    ])
  })
})
