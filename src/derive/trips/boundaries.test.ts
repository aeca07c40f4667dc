import { expect, test } from 'vitest'
import { at, every, ignition, place, told, tripsOf } from '../../../test/trip-samples.ts'

/** Drives east at 10 m/s, a fix every ten seconds. */
const driving = (fromS: number, toS: number, events: Record<string, boolean | number> = {}) =>
  every(10, fromS, toS, s => ({ ...events, POSITION: place(10 * s) }))

test('a trip begins with ignition on and ends with ignition off', () => {
  const trips = tripsOf([
    ignition(0, true, { POSITION: place(0) }),
    ...driving(10, 590),
    ignition(600, false, { POSITION: place(6000) }),
    ignition(721, false),
  ])
  expect(trips.map(told)).toEqual([
    { from: 0, to: 600, opened: 'ignition on', closed: 'ignition off', isRunning: false, metres: 6000 },
  ])
  expect(trips[0]).toMatchObject({
    durationS: 600,
    opened: { timeMs: trips[0]?.startMs },
    closed: { timeMs: trips[0]?.endMs },
  })
})

test('a running trip ends for now at its last sample, and one in a pause at ignition off, without a word on why', () => {
  const start = [ignition(0, true), ...driving(10, 100)]
  expect(tripsOf(start).map(told)).toMatchObject([{ from: 0, to: 100, isRunning: true, closed: undefined }])
  const paused = [...start, ignition(110, false), at(170, { BATTERY_VOLTAGE: 12.5 })]
  expect(tripsOf(paused).map(told)).toMatchObject([{ from: 0, to: 110, isRunning: false, closed: undefined }])
})

test.each([
  [119, 1],
  [120, 2],
])('an ignition pause of %i s leaves %i trips', (pauseS, count) => {
  const samples = [
    ignition(0, true),
    ...driving(10, 290),
    ignition(300, false),
    ignition(300 + pauseS, true),
    ...driving(300 + pauseS + 10, 700),
    ignition(710, false),
  ]
  expect(tripsOf(samples)).toHaveLength(count)
})

const withGap = (gapS: number) => [ignition(0, true), ...driving(10, 100), ...driving(100 + gapS, 600 + gapS)]

test('five minutes without data cut a trip, unless the car drove on meanwhile; more than thirty do in any case', () => {
  const parkedMeanwhile = (gapS: number) => [
    ignition(0, true),
    ...driving(10, 100),
    ...every(10, 100 + gapS, 600 + gapS, s => ({ POSITION: place(10 * (s - gapS)) })),
  ]
  expect(tripsOf(parkedMeanwhile(299)).map(told)).toMatchObject([{ from: 0, to: 899 }])
  expect(tripsOf(parkedMeanwhile(300)).map(told)).toMatchObject([
    { from: 0, to: 100, closed: 'gap without data' },
    { from: 400, to: 900, opened: 'data after a gap', isRunning: true },
  ])
  expect(tripsOf(withGap(300)).map(told)).toMatchObject([{ from: 0, to: 900, isRunning: true }])
  expect(tripsOf(withGap(1800)).map(told)).toMatchObject([{ from: 0, to: 2400, isRunning: true }])
  expect(tripsOf(withGap(1801)).map(told)).toMatchObject([
    { from: 0, to: 100, closed: 'gap without data' },
    { from: 1901, opened: 'data after a gap' },
  ])
})

test('what was driven in a silence counts, by the odometer or by the straight line', () => {
  const silent = (events: (s: number) => Record<string, number | { lon: number; lat: number }>) =>
    tripsOf([
      ...every(10, 0, 100, s => ({ IS_IGNITION_ON: true, ...events(s) })),
      ...every(10, 460, 600, s => ({ IS_IGNITION_ON: true, ...events(s) })),
      ignition(610, false, events(610)),
    ])
  expect(silent(s => ({ MILEAGE: 5000.005 + s / 100 })).map(told)).toMatchObject([{ from: 0, to: 610, metres: 6100 }])
  const [byPositions] = silent(s => ({ POSITION: place(10 * s) }))
  expect(Math.abs((byPositions?.distanceM ?? 0) / 6100 - 1)).toBeLessThan(0.1)
})

test('when the ignition turns out to be off after a gap, the trip ended before the gap', () => {
  const trips = tripsOf([ignition(0, true), ...driving(10, 100), ignition(900, false), ...driving(910, 990)])
  expect(trips.map(told)).toMatchObject([{ from: 0, to: 100, closed: 'gap without data' }])
})

test('a garage: no fix for minutes under the earth does not cut a trip', () => {
  const samples = [
    ignition(0, true, { POSITION: place(0) }),
    ...driving(10, 100),
    ...every(10, 110, 800, () => ({ BATTERY_VOLTAGE: 14.1 })),
    ...driving(810, 900),
    ignition(910, false),
  ]
  expect(tripsOf(samples)).toHaveLength(1)
})

test('flickering ignition does not cut a trip, and what was driven meanwhile counts', () => {
  const samples = every(10, 0, 600, s => ({ IS_IGNITION_ON: s % 60 !== 30, POSITION: place(10 * s) }))
  expect(tripsOf([...samples, ignition(610, false)]).map(told)).toMatchObject([{ from: 0, to: 610, metres: 6000 }])
})

test('what happened in the last pause is not part of the trip', () => {
  const trips = tripsOf([
    ignition(0, true, { POSITION: place(0), FUEL_LEVEL_PERCENT: 50 }),
    ...driving(10, 90),
    ignition(100, false, { POSITION: place(1000), FUEL_LEVEL_PERCENT: 49 }),
    at(160, { POSITION: place(1600), FUEL_LEVEL_PERCENT: 90 }),
    at(300, { POSITION: place(3000) }),
  ])
  expect(trips.map(told)).toMatchObject([{ to: 100, metres: 1000 }])
  expect(trips[0]?.endPosition).toEqual(place(1000))
  expect(trips[0]?.meters).toEqual({ '31': { start: 50, end: 49 } })
})

test('unplugged while driving: the trip ends there, and the dongle in a pocket makes none', () => {
  const trips = tripsOf([
    ignition(0, true),
    ...driving(10, 100),
    at(110, { IS_DONGLE_PLUGGED_IN: false, POSITION: place(1100) }),
    ...every(10, 120, 900, s => ({ GPS_SPEED: 20, POSITION: place(10 * s) })),
  ])
  expect(trips.map(told)).toMatchObject([{ from: 0, to: 110, closed: 'unplugged' }])
})

test('unplugged and plugged in elsewhere: what the dongle said of the old car is forgotten', () => {
  const trips = tripsOf([
    ignition(0, true),
    ...driving(10, 100),
    ignition(110, false),
    at(120, { IS_DONGLE_PLUGGED_IN: false }),
    at(1000, { IS_DONGLE_PLUGGED_IN: true }),
    ...driving(1010, 1300, { VEHICLE_SPEED_AVERAGE: 36 }),
  ])
  expect(trips.map(told)).toMatchObject([
    { from: 0, to: 110, closed: 'ignition off' },
    { from: 1010, opened: 'motion' },
  ])
})

test('towed or drifting: motion with the ignition off is no trip', () => {
  const towed = driving(10, 900, { GPS_SPEED: 36, IS_MOVING: true })
  expect(tripsOf([ignition(0, false), ...towed])).toEqual([])
  expect(tripsOf([at(0, { ENGINE_STATE: false }), ...towed])).toEqual([])
})

test('the engine counts where the dongle says nothing of the ignition, and only there', () => {
  const engine = [at(0, { ENGINE_STATE: true }), ...driving(10, 100), at(110, { ENGINE_STATE: false })]
  expect(tripsOf([...engine, at(300, {})]).map(told)).toMatchObject([
    { from: 0, to: 110, opened: 'engine on', closed: 'engine off' },
  ])
  // A hybrid: the engine stops, the ignition stays on.
  const hybrid = every(10, 0, 600, s => ({ IS_IGNITION_ON: s < 600, ENGINE_STATE: s < 100, POSITION: place(10 * s) }))
  expect(tripsOf(hybrid).map(told)).toMatchObject([{ from: 0, to: 600, opened: 'ignition on' }])
})

test('a word on the ignition that stays away for more than thirty days of data no longer counts', () => {
  const day = 86_400
  const days = (count: number) => Array.from({ length: count }, (_, i) => at((i + 1) * day, { BATTERY_VOLTAGE: 12.5 }))
  const drive = driving(40 * day, 40 * day + 300, { VEHICLE_SPEED_AVERAGE: 36 })
  expect(tripsOf([ignition(0, false), ...days(29), ...drive])).toEqual([])
  expect(tripsOf([ignition(0, false), ...days(30), ...drive])).toHaveLength(1)
})

test.each([
  ['20 s and 50 m', 20, 50, 0],
  ['31 s without moving', 31, 0, 0],
  ['20 s and 150 m', 20, 150, 1],
])('ignition on for %s', (_, seconds, metres, count) => {
  const samples = [
    ignition(0, true, { POSITION: place(0) }),
    ignition(seconds, false, { POSITION: place(metres) }),
    ignition(500, false),
  ]
  expect(tripsOf(samples)).toHaveLength(count)
})

test('what is too short yet is not told', () => {
  expect(tripsOf([ignition(0, true, { POSITION: place(0) }), at(20, { POSITION: place(50) })])).toEqual([])
  expect(
    tripsOf([at(0, { GPS_SPEED: 30, POSITION: place(0) }), at(60, { GPS_SPEED: 9, POSITION: place(50) })]),
  ).toEqual([])
})

test('without ignition and engine, motion begins a trip and five minutes without motion end it', () => {
  const speed = (s: number) => (s >= 60 && s < 600 ? 36 : 0)
  const samples = every(10, 0, 1200, s => ({
    GPS_SPEED: speed(s),
    POSITION: place(10 * Math.min(Math.max(s - 60, 0), 540)),
  }))
  expect(tripsOf(samples).map(told)).toEqual([
    { from: 60, to: 600, opened: 'motion', closed: 'no motion', isRunning: false, metres: expect.any(Number) },
  ])
  // The speed falls at once from 36 to 0 somewhere between two fixes.
  expect(Math.abs((tripsOf(samples)[0]?.distanceM ?? 0) / 5400 - 1)).toBeLessThan(0.01)
})

test('a car tells its speed only while it is awake: the driver who still or already sits in it is on the trip', () => {
  const awake = (fromS: number, toS: number, movesS: number, stopsS: number) =>
    every(10, fromS, toS, s => ({
      VEHICLE_SPEED_AVERAGE: s >= movesS && s < stopsS ? 36 : 0,
      POSITION: place(10 * Math.min(Math.max(s - movesS, 0), stopsS - movesS)),
    }))
  const drive = awake(0, 700, 60, 600)
  expect(tripsOf(drive).map(told)).toMatchObject([{ from: 0, to: 700, opened: 'data after a gap', isRunning: true }])
  expect(tripsOf([...drive, at(5000, {})]).map(told)).toMatchObject([{ from: 0, to: 700, closed: 'gap without data' }])
  // Nothing came of it, or only later than a trip can begin so.
  expect(tripsOf(awake(0, 250, 1000, 2000))).toEqual([])
  expect(tripsOf(awake(0, 900, 400, 800)).map(told)).toMatchObject([{ from: 400, opened: 'motion' }])
  // Five minutes without motion end a trip all the same.
  expect(tripsOf(awake(0, 1200, 60, 600)).map(told)).toMatchObject([{ from: 0, to: 600, closed: 'no motion' }])
})

test('stop-and-go: a car that only stands for less than five minutes is still driving', () => {
  let metres = 0
  const samples = every(10, 0, 3000, s => {
    const speed = s % 290 < 30 ? 20 : 0
    metres += (speed / 3.6) * 10
    return { GPS_SPEED: speed, POSITION: place(metres) }
  })
  const trips = tripsOf(samples)
  expect(trips).toHaveLength(1)
  expect(trips[0]).toMatchObject({ isRunning: true })
})

test.each([
  ['no speed while parked, five minutes', 4, 1],
  ['six minutes', 6, 2],
])('standing with %s', (_, minutes, count) => {
  const rest = minutes * 60
  const samples = [
    ...driving(0, 300, { GPS_SPEED: 36 }),
    ...every(30, 330, 270 + rest, () => ({ POSITION: place(3000) })),
    ...driving(300 + rest, 600 + rest, { GPS_SPEED: 36 }),
  ]
  expect(tripsOf(samples)).toHaveLength(count)
})

test('a dongle that sends IS_MOVING only when it changes', () => {
  const samples = [
    at(0, { IS_MOVING: true, POSITION: place(0) }),
    ...driving(10, 900),
    at(910, { IS_MOVING: false, POSITION: place(9100) }),
    ...every(60, 960, 1500, () => ({ POSITION: place(9100) })),
  ]
  expect(tripsOf(samples).map(told)).toMatchObject([{ from: 0, to: 910, closed: 'no motion' }])
})

test('drift while parked, with spikes of speed for hours, is no trip; the drive after it begins when the car leaves', () => {
  const drift = every(20, 0, 7200, s => ({
    GPS_SPEED: s % 60 === 0 ? 9 : 0,
    POSITION: place(((s * 7) % 60) - 30, ((s * 13) % 50) - 25),
  }))
  expect(tripsOf(drift)).toEqual([])
  const leaving = every(10, 7210, 7800, s => ({ GPS_SPEED: 36, POSITION: place(10 * (s - 7210)) }))
  const [trip] = tripsOf([...drift, ...leaving]).map(told)
  expect(trip?.from).toBeGreaterThanOrEqual(7210 - 300)
  expect(trip?.from).toBeLessThanOrEqual(7210)
})

test('a dongle without positions and odometer: motion is believed', () => {
  const samples = every(10, 0, 300, s => ({ IS_MOVING: s < 290 }))
  expect(tripsOf(samples).map(told)).toMatchObject([{ from: 0, to: 290, metres: 0 }])
})

test('a lone sample of a wrong clock makes no trip and does not cut one', () => {
  const samples = [
    ignition(-86_400, true, { POSITION: place(0) }),
    ignition(0, true),
    ...driving(10, 600),
    ignition(610, false),
  ]
  expect(tripsOf(samples).map(told)).toMatchObject([{ from: 0, to: 610 }])
})

test('the start is where the first fix is, or where the car stood when that comes late', () => {
  const parked = at(-600, { POSITION: place(0) })
  const late = [ignition(0, true), ...every(10, 10, 130, () => ({ BATTERY_VOLTAGE: 14 })), ...driving(140, 300)]
  expect(tripsOf([parked, ...late])[0]?.startPosition).toEqual(place(0))
  expect(tripsOf(late)[0]?.startPosition).toEqual(place(1400))
  const soon = [ignition(0, true), ...driving(110, 300)]
  expect(tripsOf([parked, ...soon])[0]?.startPosition).toEqual(place(1100))
})

test('the start is not where the car was last known to be when it cannot have come from there', () => {
  const parked = at(-86_400, { POSITION: place(-500_000) })
  const late = [ignition(0, true), ...every(10, 10, 190, () => ({ BATTERY_VOLTAGE: 14 })), ...driving(200, 400)]
  expect(tripsOf([parked, ...late])).toMatchObject([{ startPosition: place(2000), distanceM: 2000 }])
  const justBefore = at(-10, { POSITION: place(-500_000) })
  expect(tripsOf([justBefore, ignition(0, true), ...driving(10, 400)])).toMatchObject([
    { startPosition: place(100), distanceM: 3900 },
  ])
})

test('a trip without any fix begins and ends where the car was last known to be', () => {
  const trips = tripsOf([at(-600, { POSITION: place(5) }), ignition(0, true), ignition(60, false)])
  expect(trips).toMatchObject([{ startPosition: place(5), endPosition: place(5), positionsM: undefined }])
})
