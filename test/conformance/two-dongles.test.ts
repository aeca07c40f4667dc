import { afterAll, expect, test } from 'vitest'
import type { Device, Trip, TripList, Vehicle } from './shapes.ts'
import { type Client, startWorld } from './world.ts'

const START_MS = Date.UTC(2026, 0, 12, 8)
const EVENTUALLY = { interval: 100 }
/** A hundred metres to the north. */
const STEP_DEG = 100 / 111_195

type Values = Readonly<Record<string, unknown>>

let lastDevice = 300
let lastCar = 0

const world = await startWorld()
const fleet = await world.client('Fleet')
afterAll(() => world.stop())

const instant = (second: number) => new Date(START_MS + second * 1000).toISOString()

/** Two dongles that read the same VIN, the lower IMEI first. */
async function dongles() {
  const vin = `WVWZZZ1KZAW${String(++lastCar).padStart(6, '0')}`
  const ids = [++lastDevice, ++lastDevice] as const
  for (const id of ids) for (const at of [-600, -590]) await fleet.measured(id, instant(at), { VIN: vin })
  for (const id of ids)
    await expect.poll(async () => (await fleet.read<Device>(`/devices/${id}`)).vehicleId, EVENTUALLY).toBe(`VIN${vin}`)
  return { ids, vehicleId: `VIN${vin}` }
}

/** At 36 km/h with the ignition on, so many seconds from one position to the next. */
async function drive(deviceId: number, stepS: number, { from = 0, to = 600, ...more }: Values & Partial<Span> = {}) {
  const events: Parameters<Client['ingest']>[0][number][] = []
  const measure = (at: number, values: Values) => {
    for (const [eventType, value] of Object.entries(values))
      events.push({ deviceId, recordedTimestamp: instant(at), eventType, value })
  }
  for (let at = from; at < to; at += stepS)
    measure(at, { IS_IGNITION_ON: true, POSITION: { lat: 48.1 + (at / 10) * STEP_DEG, lon: 11.6 }, ...more })
  for (const at of [to, to + 300]) measure(at, { IS_IGNITION_ON: false })
  expect((await fleet.ingest(events)).status).toBe(200)
}

interface Span {
  readonly from: number
  readonly to: number
}

const tripsOf = async (vehicleId: string, more = '') =>
  (await fleet.read<TripList>(`/trips?vehicleId=${vehicleId}${more}`)).trips

test.each<[string, better: 0 | 1, steps: readonly [number, number], odometer: 0 | 1 | undefined]>([
  ['an odometer', 1, [10, 20], 1],
  ['more positions', 1, [20, 10], undefined],
  ['the lower IMEI', 0, [10, 10], undefined],
])('[D-TRIP-20] of overlapping trips of one car the better measured counts: %s', async (_, better, steps, odometer) => {
  for (const order of [
    [0, 1],
    [1, 0],
  ] as const) {
    const { ids, vehicleId } = await dongles()
    for (const dongle of order) await drive(ids[dongle], steps[dongle], dongle === odometer ? { MILEAGE: 50_000 } : {})
    expect((await tripsOf(vehicleId)).map(trip => trip.deviceId)).toEqual([ids[better]])
  }
})

test('[D-TRIP-20] [D-TRIP-21] trips that only touch, or of different times, all count', async () => {
  const { ids, vehicleId } = await dongles()
  await drive(ids[0], 10)
  await drive(ids[1], 10, { from: 600, to: 900 })
  await drive(ids[1], 10, { from: 2000, to: 2300 })
  expect(await tripsOf(vehicleId)).toHaveLength(3)
})

test('[D-TRIP-21] the other one is marked deleted and counts in no sum', async () => {
  const { ids, vehicleId } = await dongles()
  await drive(ids[0], 10)
  const [alone] = await tripsOf(vehicleId)
  await drive(ids[1], 20)
  const [counting, ...others] = await tripsOf(vehicleId)
  expect([counting?.id, others]).toEqual([alone?.id, []])
  const [, deleted] = await tripsOf(vehicleId, '&includeDeleted=true')
  expect(deleted).toMatchObject({ deviceId: ids[1], distance: 0, duration: 0, aggregations: [] })
  expect(deleted?.deleteTimestamp).not.toBeNull()
  expect(await fleet.read<Trip>(`/trips/${deleted?.id}`)).toEqual(deleted)

  const query = `vehicleId=${vehicleId}&aggregation=DRIVEN_DISTANCE&aggregationType=SUM`
  for (const bin of ['VEHICLE', 'FLEET']) {
    const sums = await fleet.read<{ value: number }[]>(`/aggregations?${query}&bin=${bin}`)
    expect(sums.map(({ value }) => value)).toEqual([alone?.distance])
  }
})

test('[D-TRIP-21] while both drive, the vehicle is in the one that counts, and the other dongle in none', async () => {
  const { ids, vehicleId } = await dongles()
  const nowS = Math.floor((Date.now() - START_MS) / 1000)
  for (let at = nowS - 120; at < nowS - 20; at += 10)
    for (const id of ids)
      await fleet.measured(id, instant(at), {
        IS_IGNITION_ON: true,
        POSITION: { lat: 48.1 + ((at - nowS) / 10) * STEP_DEG, lon: 11.6 },
      })
  const [counting, ...others] = await tripsOf(vehicleId)
  expect([counting?.deviceId, others]).toEqual([ids[0], []])
  expect((await fleet.read<Vehicle>(`/vehicles/${vehicleId}`)).tripId).toBe(counting?.id)
  expect((await fleet.read<Device>(`/devices/${ids[0]}`)).tripId).toBe(counting?.id)
  expect((await fleet.read<Device>(`/devices/${ids[1]}`)).tripId).toBe('')
})
