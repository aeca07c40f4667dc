import { afterAll, describe, expect, test } from 'vitest'
import { imeiOf } from '../../../lab/simulation/imei.ts'
import { startAdministration } from '../../../test/administration.ts'
import { ensureAccount } from '../../access/accounts.ts'
import { sql } from '../../db/sql.ts'
import { writeTransaction } from '../../db/transaction.ts'
import { handOut as handOutRange } from '../../fleet/claims.ts'
import type { DeviceId } from '../../model/sample.ts'

let serial = 0

const world = await startAdministration()
await world.addAdministrator('chief@example.com', 'Fleet')
const token = (await world.logIn('chief@example.com')).accessToken
await handOut('Fleet', '35630704')
await handOut('Fleet', '2704')
await handOut('Other', '35630705')
afterAll(() => world.stop())

const newImei = () => imeiOf('35630704', ++serial)
const theirImei = () => imeiOf('35630705', ++serial)
const vinOf = (number: number) => `WVWZZZ1KZAW${String(number).padStart(6, '0')}`
const newVin = () => vinOf(++serial)
const ask = (method: string, path: string, body?: unknown) => world.ask(token, method, path, body)
const add = (body: Readonly<Record<string, unknown>>) => ask('POST', '/admin/devices', body)
const move = (deviceId: number, body: unknown) => ask('POST', `/admin/devices/${deviceId}/move`, body)
const vehicleOf = async (deviceId: number) => (await ask('GET', `/cc/v2.0/devices/${deviceId}`)).body.vehicleId
const refusal = (words: RegExp) => ({ status: 400, body: { errorMessage: expect.stringMatching(words) } })

async function report(deviceId: number, recordedTimestamp: string, eventType: string, value: unknown): Promise<void> {
  const { status } = await ask('POST', '/ingest/events', [{ deviceId, recordedTimestamp, eventType, value }])
  expect(status).toBe(200)
}

/** What the administrator did, as the log tells it. */
const changes = () => world.log().flatMap(({ administrator, change }) => (administrator ? [change] : []))

const stored = async () =>
  (
    await world.service.database.rows(sql`
      select (select count(*) from devices) as devices, (select count(*) from vehicles) as vehicles,
        (select count(*) from operator_moves) as moves`)
  )[0]

/** All dongles of a model. */
async function handOut(account: string, model: string): Promise<void> {
  const [first, last] = [`${model}0000000`, `${model}9999999`].map(Number) as [DeviceId, DeviceId]
  await writeTransaction(world.service.database, async transaction => {
    const { id } = await ensureAccount(transaction, account)
    await handOutRange(transaction, id, { first, last })
  })
}

describe('a new dongle', () => {
  test('is there with its car as it was entered', async () => {
    const [deviceId, vin] = [newImei(), newVin()]
    const car = {
      licensePlate: 'M-TC 1',
      make: 'Volkswagen',
      model: 'Golf',
      vehicle: '1.4 TSI',
      fuelType: 'Diesel',
      tecDocMakeId: 121,
      tecDocModelId: 6174,
      tecDocVehicleId: 54_321,
      kba: '0603/BQM',
    }
    const added = await add({ deviceId, vin: vin.toLowerCase(), hardwareType: 'FMC003', ...car })
    expect(added).toEqual({ status: 201, body: { deviceId } })
    expect((await ask('GET', `/cc/v2.0/vehicles/VIN${vin}`)).body).toMatchObject({ vin, ...car })
    expect((await ask('GET', `/cc/v2.0/devices/${deviceId}`)).body).toMatchObject({ hardwareType: 'FMC003' })
    expect(changes()).toContainEqual({ action: 'device added', deviceId })
  })

  test('joins the account of the administrator, whichever was first', async () => {
    const other = await world.service.key('Other')
    const deviceId = theirImei()
    expect((await world.ask(other, 'POST', '/admin/devices', { deviceId })).status).toBe(201)
    expect((await world.ask(other, 'GET', `/cc/v2.0/devices/${deviceId}`)).status).toBe(200)
    expect((await ask('GET', `/cc/v2.0/devices/${deviceId}`)).status).toBe(404)
  })

  test('may have another number than an IMEI', async () => {
    expect(await add({ deviceId: 27043946607 })).toEqual({ status: 201, body: { deviceId: 27043946607 } })
  })

  test('takes a wrong check digit when it is told so', async () => {
    const deviceId = 356307042441014
    expect(await add({ deviceId, anyCheckDigit: true })).toEqual({ status: 201, body: { deviceId } })
  })

  test('is refused when it is there already', async () => {
    const own = newImei()
    await add({ deviceId: own })
    const before = await stored()
    expect(await add({ deviceId: own })).toEqual({ status: 400, body: { errorMessage: 'deviceId is there already.' } })
    expect(await stored()).toEqual(before)
  })

  test.each<[what: string, change: Readonly<Record<string, unknown>>, words: RegExp]>([
    ['no IMEI', { deviceId: undefined }, /^deviceId is missing/],
    ['a wrong digit', { deviceId: 356307042441014 }, /^deviceId is no IMEI.*3/],
    ['nothing', { deviceId: 0 }, /^deviceId must/],
    ['an IMEI as a text', { deviceId: '356307042441013' }, /^deviceId .*integer/],
    ['a negative IMEI', { deviceId: -1 }, /^deviceId must/],
    ['an IMEI beyond all numbers', { deviceId: 1e21 }, /^deviceId /],
    ['a short VIN', { vin: 'WVW' }, /^vin must have 17/],
    ['a plate of two lines', { licensePlate: 'M-TC\n1' }, /^licensePlate .*one line/],
    ['a plate with NUL', { licensePlate: 'M\0' }, /^licensePlate /],
    ['a plate with half a character', { licensePlate: 'M\ud83d' }, /^licensePlate /],
    ['a long make', { make: 'x'.repeat(101) }, /^make .*100/],
    ['a number that is none', { tecDocMakeId: 'VW' }, /^tecDocMakeId /],
    ['a number too great', { tecDocMakeId: 2_147_483_648 }, /^tecDocMakeId /],
    ['an account', { account: 'Other' }, /^account /],
  ])('is refused with %s', async (_what, change, words) => {
    const before = await stored()
    expect(await add({ deviceId: newImei(), ...change })).toEqual(refusal(words))
    expect(await stored()).toEqual(before)
  })

  test('is refused with the VIN of a car that has a dongle; blank texts count as absent', async () => {
    const [vin, deviceId] = [newVin(), newImei()]
    expect((await add({ deviceId: newImei(), vin })).status).toBe(201)
    expect(await add({ deviceId, vin })).toEqual(refusal(new RegExp(`^vin is the VIN of the vehicle VIN${vin}`)))
    expect((await add({ deviceId, vin: ' ', make: '' })).status).toBe(201)
  })
})

describe('a move', () => {
  test('takes what the dongle measures from then on to another car, named in any way', async () => {
    const [deviceId, other, vin] = [newImei(), newImei(), newVin()]
    await add({ deviceId })
    await add({ deviceId: other, licensePlate: 'KA-B 77' })
    await report(deviceId, '2026-01-15T08:00:00Z', 'BATTERY_VOLTAGE', 12)
    await report(deviceId, '2026-01-15T10:00:00Z', 'BATTERY_VOLTAGE', 14)
    const moved = await move(deviceId, { licensePlate: 'kab77', fromTimestamp: '2026-01-15T10:00:00+01:00' })
    const fromTimestamp = '2026-01-15T09:00:00.000Z'
    expect(moved).toEqual({ status: 200, body: { deviceId, vehicleId: `IMEI_${other}`, fromTimestamp } })
    expect(changes()).toContainEqual({ action: 'device moved', deviceId, vehicleId: `IMEI_${other}`, fromTimestamp })
    const voltagesOf = async (vehicleId: string) => {
      const query = `vehicleId=${vehicleId}&eventType=BATTERY_VOLTAGE&fromTimestamp=2026-01-01`
      const events = (await ask('GET', `/cc/v2.0/events?${query}`)).body as unknown as readonly { value: number }[]
      return events.map(({ value }) => value)
    }
    expect(await voltagesOf(`IMEI_${deviceId}`)).toEqual([12])
    expect(await voltagesOf(`IMEI_${other}`)).toEqual([14])
    expect((await move(deviceId, { vin })).body).toMatchObject({ vehicleId: `VIN${vin}` })
    expect(await vehicleOf(deviceId)).toBe(`VIN${vin}`)
    expect((await move(deviceId, { vehicleId: `IMEI_${deviceId}` })).status).toBe(200)
    expect(await vehicleOf(deviceId)).toBe(`IMEI_${deviceId}`)
    // Now the car with that VIN is there.
    const vehicles = await stored()
    expect((await move(deviceId, { vin })).body).toMatchObject({ vehicleId: `VIN${vin}` })
    expect(await stored()).toMatchObject({ vehicles: (vehicles as { vehicles: number }).vehicles })
  })

  test.each<[what: string, body: unknown, words: RegExp]>([
    ['nowhere', {}, /^Exactly one of vehicleId, licensePlate, vin/],
    ['two places', { vehicleId: 'IMEI_1', vin: vinOf(1) }, /^Exactly one of/],
    ['a car that is not there', { vehicleId: 'IMEI_1' }, /^vehicleId: The account has no vehicle IMEI_1\.$/],
    ['a plate that no car has', { licensePlate: 'X' }, /^licensePlate: /],
    ['a VIN that is none', { vin: 'X' }, /^vin must have 17/],
    ['an id with NUL', { vehicleId: 'IMEI_\0' }, /^vehicleId /],
    ['a car from a time that is none', { vehicleId: 'IMEI_1', fromTimestamp: 'now' }, /^fromTimestamp must be/],
    ['a car from tomorrow', { vin: vinOf(1), fromTimestamp: '2999-01-01' }, /^fromTimestamp: .*still to come/],
    ['a car from long ago', { vin: vinOf(1), fromTimestamp: '1999-01-01' }, /^fromTimestamp: .*2000/],
    ['another account', { vin: vinOf(1), account: 'Other' }, /^account /],
  ])('to %s is refused', async (_what, body, words) => {
    const deviceId = newImei()
    await add({ deviceId })
    const before = await stored()
    expect(await move(deviceId, body)).toEqual(refusal(words))
    expect(await stored()).toEqual(before)
  })

  test('reaches neither dongles nor cars of another account, nor the time before a dongle came', async () => {
    const [ours, theirs] = [newImei(), theirImei()]
    const other = await world.service.key('Other')
    await add({ deviceId: ours })
    await world.ask(other, 'POST', '/admin/devices', { deviceId: theirs, licensePlate: 'O-TH 1' })
    const nobodys = newImei()
    for (const deviceId of [theirs, nobodys])
      expect(await move(deviceId, { vehicleId: `IMEI_${ours}` })).toEqual({
        status: 404,
        body: { errorMessage: `The device ${deviceId} was not found.` },
      })
    for (const name of [{ vehicleId: `IMEI_${theirs}` }, { licensePlate: 'O-TH 1' }])
      expect(await move(ours, name)).toEqual(refusal(/has no vehicle/))
  })
})
