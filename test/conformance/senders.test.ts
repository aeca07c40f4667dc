import { afterAll, expect, test } from 'vitest'
import { settled } from '../settled.ts'
import { car, every, instant, off } from './made-up-drives.ts'
import { sendSamples } from './scenario.ts'
import type { DtcList } from './shapes.ts'
import { startWorld } from './world.ts'

const world = await startWorld()
const fleet = await world.client('Fleet')
afterAll(() => world.stop())

test('[D-READ-51] any number below 2^53 is registered; 15 digits with a wrong check digit are asked about', async () => {
  const register = (body: object) =>
    world.ask('/admin/devices', {
      method: 'POST',
      headers: { authorization: `Bearer ${fleet.token}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
  for (const deviceId of [7, 35_630_704_248, Number.MAX_SAFE_INTEGER])
    expect((await register({ deviceId })).status).toBe(201)
  const wrong = { deviceId: 356_307_042_441_014 }
  expect((await register(wrong)).status).toBe(400)
  expect((await register({ ...wrong, anyCheckDigit: true })).status).toBe(201)
})

test.each(['NO DATA', 'N/A', 'UNABLE TO CONNECT', 'SEARCHING...', 'SPN 110 FMI 0', '?'])(
  '[D-FLEET-20] %j ends no code',
  async text => {
    const deviceId = 200 + text.length
    await fleet.measured(deviceId, instant(0), { OBD_DTC_PERMANENT: 'P0301|P0420' })
    await fleet.measured(deviceId, instant(60), { OBD_DTC_PERMANENT: text })
    const { dtcs } = await fleet.read<DtcList>(`/dtcs?deviceId=${deviceId}`)
    expect(dtcs.map(({ code, deleteTimestamp }) => [code, deleteTimestamp])).toEqual([
      ['P0301', null],
      ['P0420', null],
    ])
  },
)

test('[D-FLEET-21] numbers with all bits set are not available', async () => {
  const allOnes = { ENGINE_RPM_AVERAGE: 65_535, VEHICLE_SPEED_AVERAGE: 255, ENGINE_COOLANT_TEMPERATURE: 215 }
  await fleet.measured(31, instant(0), { ...allOnes, MILEAGE: 4_294_967.295, BATTERY_VOLTAGE: 12.4 })
  const events = await fleet.read<{ event_type: string }[]>('/events?deviceId=31')
  expect(events.map(event => event.event_type).sort()).toEqual(['BATTERY_VOLTAGE'])
})

const CENTRE = { lat: 48.5, lon: 11.6 }
const square = (halfM: number, eastM = 0) => {
  const corners = [-1, 1, 1, -1, -1].map((east, index) =>
    off(CENTRE, halfM * (index < 2 || index > 3 ? -1 : 1), eastM + halfM * east),
  )
  return [corners.map(({ lat, lon }) => [lon, lat])]
}

test('[D-AREA-01, D-AREA-02] of a file, parts that overlap are one area, and what is none is named', async () => {
  const feature = (geometry: unknown, name: unknown) => ({ type: 'Feature', properties: { name }, geometry })
  const parts = { type: 'MultiPolygon', coordinates: [square(500), square(500), square(100), square(500, 400)] }
  const features = [
    feature(parts, 4711),
    feature(null, 'Nowhere'),
    feature({ type: 'Polygon', coordinates: [[]] }, 'X'),
  ]
  const body = { geojson: { type: 'FeatureCollection', features } }
  const { body: imported } = await fleet.send<{ areaIds: string[]; passedOver: string[] }>(
    'POST',
    '/areas/import',
    body,
  )
  expect(imported.passedOver).toEqual([expect.stringContaining('"Nowhere"'), expect.stringContaining('"X"')])
  const [id] = imported.areaIds
  expect(await fleet.read(`/areas/${id}`)).toMatchObject({ name: '4711', geometry: { type: 'Polygon' } })
})

test('[D-AREA-03, D-AREA-04] a weekend in the yard is one visit; a dip of the fuel level uphill is no refuelling', async () => {
  const yard = { name: 'Yard', kind: 'DEPOT', color: '#1c7ed6', radiusM: 150 }
  const drive = car([600, 1800])
  const { lat, lon } = drive.place(1800)
  await fleet.send('POST', '/areas', { ...yard, geometry: { type: 'Point', coordinates: [lon, lat] } })
  for (const kind of ['AREA_ENTERED', 'AREA_LEFT', 'AREA_STAYED', 'REFUELLED', 'FUEL_LOST'])
    await fleet.send('POST', '/rules', { name: kind, kind, parameters: {}, fromTimestamp: '2026-01-01T00:00:00Z' })
  const awayS = 62 * 3600
  const level = (at: number) => ({ FUEL_LEVEL_PERCENT: at >= 1200 && at < 1230 ? 48 : 60 })
  const samples = {
    ...every(10, 540, 1860, at => ({ ...drive.ignition(at), ...drive.carSpeed(at), ...drive.fix(at), ...level(at) })),
    ...every(10, awayS, awayS + 600, at => ({
      IS_IGNITION_ON: at < awayS + 600,
      VEHICLE_SPEED_AVERAGE: 36,
      POSITION: off({ lat, lon }, (at - awayS) * 10, 0),
    })),
  }
  await sendSamples(fleet, 41, samples)
  await settled(world.service.database)
  const { incidents } = await fleet.read<{ incidents: { kind: string }[] }>('/incidents?deviceId=41')
  expect(incidents.map(({ kind }) => kind).sort()).toEqual(['AREA_ENTERED', 'AREA_LEFT', 'AREA_STAYED'])
})
