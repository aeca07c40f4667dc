import { afterAll, describe, expect, test } from 'vitest'
import type { Device, Trip, TripList } from './shapes.ts'
import { startWorld } from './world.ts'

const START_MS = Date.UTC(2026, 0, 12, 8)
/** A hundred metres to the north. */
const STEP_DEG = 100 / 111_195

type Values = Readonly<Record<string, unknown>>

let lastDevice = 200

const world = await startWorld()
const fleet = await world.client('Fleet')
afterAll(() => world.stop())

const instant = (second: number) => new Date(START_MS + second * 1000).toISOString()
const secondOf = (timestamp: string) => (Date.parse(timestamp) - START_MS) / 1000

/** A dongle of its own; times are seconds after the start. */
function dongle() {
  const deviceId = ++lastDevice
  return {
    deviceId,
    async send(samples: Readonly<Record<number, Values>>) {
      const events = Object.entries(samples).flatMap(([at, values]) =>
        Object.entries(values).map(([eventType, value]) => ({
          deviceId,
          recordedTimestamp: instant(Number(at)),
          eventType,
          value,
        })),
      )
      expect((await fleet.ingest(events)).status).toBe(200)
    },
    trips: async (query = '') => (await fleet.read<TripList>(`/trips?deviceId=${deviceId}${query}`)).trips,
    /** Start and end of each trip. */
    async spans() {
      return (await this.trips()).map(trip => [secondOf(trip.tripStartTimestamp), secondOf(trip.tripEndTimestamp)])
    },
  }
}

/** A sample every ten seconds at 36 km/h. */
function every10s(from: number, to: number, values: (at: number) => Values): Record<number, Values> {
  const samples: Record<number, Values> = {}
  for (let at = from; at < to; at += 10) samples[at] = values(at)
  return samples
}
const place = (metres: number) => ({ lat: 48.1 + (metres / 100) * STEP_DEG, lon: 11.6 })
const driving = (at: number): Values => ({ IS_IGNITION_ON: true, POSITION: place(at * 10) })
const moving = (at: number): Values => ({ GPS_SPEED: 36, POSITION: place(at * 10) })
const standing = (): Values => ({ GPS_SPEED: 0 })
const ON: Values = { IS_IGNITION_ON: true }
const OFF: Values = { IS_IGNITION_ON: false }

describe('begins and ends', () => {
  test.each<[title: string, samples: Record<number, Values>, spans: number[][]]>([
    ['[D-TRIP-01] with ignition', { 0: OFF, ...every10s(60, 300, driving), 300: OFF, 600: OFF }, [[60, 300]]],
    [
      '[D-TRIP-01] with the ignition also where the engine says something else',
      { ...every10s(0, 60, () => ({ ...ON, ENGINE_STATE: false })), ...every10s(60, 300, driving), 300: OFF, 600: OFF },
      [[0, 300]],
    ],
    [
      '[D-TRIP-01] with the engine where there is no ignition',
      {
        ...every10s(0, 300, () => ({ ENGINE_STATE: true })),
        300: { ENGINE_STATE: false },
        600: { ENGINE_STATE: false },
      },
      [[0, 300]],
    ],
    [
      '[D-TRIP-01] with motion above 5 km/h where a dongle sends neither, until 5 minutes without',
      {
        ...every10s(0, 60, () => ({ GPS_SPEED: 5 })),
        ...every10s(60, 300, moving),
        // Four minutes at a level crossing.
        ...every10s(300, 540, standing),
        ...every10s(540, 600, moving),
        ...every10s(600, 960, standing),
      },
      [[60, 600]],
    ],
    [
      '[D-TRIP-01] with IS_MOVING alone',
      {
        0: { IS_MOVING: true },
        ...every10s(10, 120, () => ({ BATTERY_VOLTAGE: 14 })),
        120: { IS_MOVING: false },
        500: standing(),
      },
      [[0, 120]],
    ],
    [
      '[D-TRIP-01] an ignition pause below 2 minutes does not cut a trip, a longer one does',
      {
        ...every10s(0, 100, driving),
        100: OFF,
        ...every10s(219, 300, driving),
        300: OFF,
        ...every10s(420, 500, driving),
        500: OFF,
        700: OFF,
      },
      [
        [0, 300],
        [420, 500],
      ],
    ],
    [
      '[D-TRIP-08] a gap without data below 5 minutes does not cut a trip, a longer one in which the car stood does',
      {
        ...every10s(0, 101, driving),
        ...every10s(399, 500, driving),
        ...every10s(800, 900, at => driving(at - 309)),
        900: OFF,
        1100: OFF,
      },
      [
        [0, 499],
        [800, 900],
      ],
    ],
    [
      '[D-TRIP-11] shorter than 30 s and 100 m is no trip',
      { 0: ON, 29: OFF, 300: { ...ON, POSITION: place(0) }, 310: { ...ON, POSITION: place(90) }, 320: OFF, 600: OFF },
      [],
    ],
    ['[D-TRIP-11] 30 s are a trip', { 0: ON, 30: OFF, 300: OFF }, [[0, 30]]],
    [
      '[D-TRIP-11] 100 m are a trip',
      { 0: { ...ON, POSITION: place(0) }, 20: { ...OFF, POSITION: place(110) }, 300: OFF },
      [[0, 20]],
    ],
  ])('%s', async (_title, samples, spans) => {
    const car = dongle()
    await car.send(samples)
    expect(await car.spans()).toEqual(spans)
  })
})

describe('distance', () => {
  const km = async (samples: Record<number, Values>) => {
    const car = dongle()
    await car.send({ ...samples, 600: OFF, 900: OFF })
    const [trip, ...others] = await car.trips()
    expect(others).toEqual([])
    return trip?.distance
  }
  /** The odometer shows a tenth more than the positions. */
  const reading = (at: number) => ({ MILEAGE: 50_000 + (at * 11) / 1000 })

  test('[D-TRIP-02] the odometer counts where it covers the trip', async () => {
    expect(await km(every10s(0, 600, at => ({ ...driving(at), ...reading(at) })))).toBe(6.49)
  })

  test('[D-TRIP-02] positions complete it at the ends that it does not cover', async () => {
    const covered = await km(
      every10s(0, 600, at => (at >= 200 && at <= 400 ? { ...driving(at), ...reading(at) } : driving(at))),
    )
    // 2.2 km by the odometer, 2 km and 1.9 km by positions before and after.
    expect(covered).toBeCloseTo(6.1, 1)
  })

  test('[D-TRIP-02, D-TRIP-14] without odometer, positions count, and impossible jumps are removed', async () => {
    expect(await km(every10s(0, 600, driving))).toBeCloseTo(5.9, 1)
    const jumping = await km({
      ...every10s(0, 600, driving),
      200: { ...ON, POSITION: { lat: 0, lon: 0 } },
      300: { ...ON, POSITION: { lat: 49.1, lon: 11.6 } },
      400: { ...ON, POSITION: { lat: 48.1, lon: -73.9 } },
    })
    expect(jumping).toBeCloseTo(5.9, 1)
  })
})

describe('identity', () => {
  const eventually = { interval: 100 }

  test('[D-TRIP-04] a merge keeps the id of the part that starts first, the others are marked deleted', async () => {
    const car = dongle()
    await car.send({ ...every10s(0, 300, driving), ...every10s(2400, 2700, driving), 2700: OFF, 3000: OFF })
    const [first, second] = await car.trips()
    await car.send(every10s(300, 2400, driving))
    await expect.poll(() => car.spans(), eventually).toEqual([[0, 2700]])
    const [merged] = await car.trips()
    expect(merged?.id).toBe(first?.id)
    const gone = await fleet.read<Trip>(`/trips/${second?.id}`)
    expect(gone.deleteTimestamp).not.toBeNull()
    expect(gone).toMatchObject({ distance: 0, duration: 0, aggregations: [] })
  })

  test('[D-TRIP-04] a split keeps it with the part that has the original start', async () => {
    const car = dongle()
    await car.send({ ...every10s(0, 310, driving), ...every10s(500, 800, driving), 800: OFF, 1100: OFF })
    const [whole] = await car.trips()
    await car.send({ 310: OFF })
    await expect
      .poll(() => car.spans(), eventually)
      .toEqual([
        [0, 310],
        [500, 800],
      ])
    const [first, second] = await car.trips('&includeDeleted=true')
    expect(first?.id).toBe(whole?.id)
    expect(second?.deleteTimestamp).toBeNull()
  })
})

describe('a running trip', () => {
  test('[D-REPLY-31] ends for now at its last sample, and moves on with the next one', async () => {
    const car = dongle()
    const nowS = Math.floor((Date.now() - START_MS) / 1000)
    const drivingNow = (at: number) => driving(at - nowS)
    await car.send(every10s(nowS - 120, nowS - 50, drivingNow))
    expect(await car.spans()).toEqual([[nowS - 120, nowS - 60]])
    const [running] = await car.trips()
    expect(running).toMatchObject({ duration: 60, deleteTimestamp: null })
    expect((await fleet.read<Device>(`/devices/${car.deviceId}`)).tripId).toBe(running?.id)

    await car.send(every10s(nowS - 50, nowS - 20, drivingNow))
    expect(await car.spans()).toEqual([[nowS - 120, nowS - 30]])
    const [later] = await car.trips(`&filterTimestamp=${running?.modifyTimestamp}`)
    expect(later).toMatchObject({ id: running?.id, duration: 90 })
  })
})
