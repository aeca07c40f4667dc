import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { MapFile } from '../../src/geo/map-file.ts'
import { makeTemporaryFolder } from '../embedded-folder.ts'
import { ingestClient } from '../ingest-client.ts'
import { writeMadeMap } from '../made-map-file.ts'
import { settled } from '../settled.ts'
import { describeInBrowser, PATIENCE } from './chromium.ts'
import { eventsAt, RESTING } from './made-fleet.ts'
import { middleOfColor } from './picture.ts'
import { type ConsoleWorld, startWorld } from './world.ts'

const EARTH = '#2f8f4f'
/** The servers of the choices, with formats as theirs. */
const STYLE = {
  version: 8,
  sources: {
    streets: { type: 'vector', tiles: ['https://tiles.openfreemap.org/planet/{z}/{x}/{y}.pbf'], maxzoom: 14 },
  },
  layers: [{ id: 'earth', type: 'fill', source: 'streets', 'source-layer': 'earth', paint: { 'fill-color': EARTH } }],
}
const PICTURE = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR42mOw318PAAK+AX7HJ+cEAAAAAElFTkSuQmCC'

describeInBrowser('a map that an administrator chooses', () => {
  let world: ConsoleWorld
  beforeAll(async () => {
    world = await startWorld()
    const dongle = ingestClient(world.service.url, world.key)
    await dongle.store(eventsAt(RESTING.deviceId, Date.now() - 60_000, { POSITION: 'POINT(11.575 48.137)' }))
    await settled(world.service.database)
  })
  afterAll(() => world.stop())

  test('is drawn the next time the console is opened, and its server learns of this one by name only', async () => {
    const path = join(await makeTemporaryFolder(), 'tile.pmtiles')
    await writeMadeMap(path)
    const map = await MapFile.open(path, 'The file')
    const tile = gunzipSync((await map.tile({ z: 0, x: 0, y: 0 }))?.bytes ?? '')
    await map.close()
    const page = await world.visit({
      expects: [/^request to another server: https:\/\/tiles?\.open(free|street)map\.org/],
    })
    const headers = { 'access-control-allow-origin': '*' }
    const referrers: (string | undefined)[] = []
    await page.route('https://tiles.openfreemap.org/**', route =>
      route.fulfill(route.request().url().endsWith('.pbf') ? { headers, body: tile } : { headers, json: STYLE }),
    )
    await page.route('https://tile.openstreetmap.org/**', route => {
      referrers.push(route.request().headers().referer)
      return route.fulfill({ headers, contentType: 'image/png', body: Buffer.from(PICTURE, 'base64') })
    })
    const canvas = page.locator('canvas.maplibregl-canvas')
    await canvas.waitFor()
    const show = async (choice: string, color: string) => {
      const response = await fetch(`${world.service.url}/admin/map`, {
        method: 'PUT',
        headers: { authorization: `Bearer ${world.key}`, 'content-type': 'application/json' },
        body: JSON.stringify({ choice }),
      })
      expect(response.status).toBe(200)
      await page.reload()
      await expect
        .poll(async () => middleOfColor(page, await canvas.screenshot(), color), { ...PATIENCE, interval: 300 })
        .not.toBeUndefined()
    }
    await show('openfreemap', EARTH)
    await show('openstreetmap', '#3fbf7f')
    expect(new Set(referrers)).toEqual(new Set([`${world.service.url}/`]))
  })
})
