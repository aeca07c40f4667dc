import { afterAll, beforeAll, expect, it } from 'vitest'
import { ingestClient } from '../../../test/ingest-client.ts'
import { expectDocumented } from '../../../test/openapi-conformity.ts'
import { startService, type TestService } from '../../../test/service.ts'
import { settled } from '../../../test/settled.ts'
import type { DeviceId } from '../../model/sample.ts'
import { DAY_MS } from '../../model/time-range.ts'
import { dayStartMs, sealDay } from '../../store/index.ts'

/** Stands, drives 6 km to the north in ten minutes from 09:00 on, and stands again; the other one only stands. */
const [DRIVEN, STANDING] = [356307042441013, 356307042441021] as [DeviceId, DeviceId]
const START_MS = Date.UTC(2026, 0, 12, 9)
const METRES_PER_DEGREE = 111_195

let service: TestService
let key: string
beforeAll(async () => {
  service = await startService()
  key = await service.key('Fleet')
  const at = (deviceId: number, second: number, northM: number, more: object = {}) =>
    Object.entries({ POSITION: `POINT(8.4 ${49 + northM / METRES_PER_DEGREE})`, ...more }).map(
      ([eventType, value]) => ({
        deviceId,
        recordedTimestamp: instant(second),
        eventType,
        value,
      }),
    )
  const driving = { IS_IGNITION_ON: true, GPS_SPEED: 36, GPS_COURSE: 0 }
  await ingestClient(service.intakeUrl, key).store([
    ...[-600, -300].flatMap(second => at(DRIVEN, second, 0, { IS_IGNITION_ON: false })),
    ...Array.from({ length: 61 }, (_, index) => at(DRIVEN, index * 10, index * 100, driving)).flat(),
    ...[610, 900, 3600].flatMap(second => at(DRIVEN, second, 6000, { IS_IGNITION_ON: false })),
    ...at(STANDING, 0, -500),
  ])
  await settled(service.database)
})
afterAll(() => service.stop())

const instant = (second: number) => new Date(START_MS + second * 1000).toISOString()

async function positions(second: number, token = key) {
  const path = `/positions?timestamp=${instant(second)}`
  const reply = await fetch(service.baseUrl + path, { headers: { authorization: `Bearer ${token}` } })
  const body = await reply.text()
  await expectDocumented({ statusCode: reply.status, headers: Object.fromEntries(reply.headers), body }, 'GET', path)
  const { positions: found = [] } = JSON.parse(body) as { positions?: { position: { lat: number } }[] }
  return found.map(({ position, ...rest }) => ({
    ...rest,
    northM: Math.round((position.lat - 49) * METRES_PER_DEGREE),
  }))
}

const parked = { vehicleId: `IMEI_${DRIVEN}`, state: 'PARKED', speed: null, course: null }
const standing = { ...parked, vehicleId: `IMEI_${STANDING}`, northM: expect.closeTo(-500, 0) }

it('a car was where it last reported, and parked where its trip ended', async () => {
  expect(await positions(-700)).toEqual([])
  expect(await positions(-30)).toEqual([
    { ...parked, northM: 0, tripId: null, sinceTimestamp: null, positionTimestamp: instant(-300) },
  ])
  expect(await positions(305)).toEqual([
    expect.objectContaining({ state: 'DRIVING', northM: 3000, speed: 36, positionTimestamp: instant(300) }),
    { ...standing, tripId: null, sinceTimestamp: null, positionTimestamp: instant(0) },
  ])
  const [driven] = await positions(3600)
  expect(driven).toMatchObject({
    ...parked,
    northM: expect.closeTo(6000, -1),
    tripId: expect.any(String),
    sinceTimestamp: expect.any(String),
  })
  const [much, other] = await positions(30 * 86_400)
  expect([much?.northM, other]).toEqual([driven?.northM, expect.objectContaining({ ...standing, state: 'SILENT' })])
})

it('is the same when the day is sealed, and nothing to others', async () => {
  const day = { fromMs: dayStartMs(START_MS), toMs: dayStartMs(START_MS) + DAY_MS }
  const before = await positions(305)
  for (const id of [DRIVEN, STANDING])
    expect(await sealDay(service.database, id, day)).toMatchObject({ samples: expect.anything() })
  expect(await positions(305)).toEqual(before)
  expect(await positions(305, await service.key('Another'))).toEqual([])
})
