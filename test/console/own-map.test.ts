import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { ingestClient } from '../ingest-client.ts'
import { writeMadeMap } from '../made-map-file.ts'
import { settled } from '../settled.ts'
import { barriersOn } from './axe.ts'
import { describeInBrowser, PATIENCE } from './chromium.ts'
import { eventsAt, RESTING } from './made-fleet.ts'
import { middleOfColor } from './picture.ts'
import { type ConsoleWorld, startWorld } from './world.ts'

const ROADS = { id: 'roads', type: 'line', source: 'roads', 'source-layer': 'roads' }

/** A park of the made map, in the light and in the dark. */
const PARK = { light: '#d8e9cd', dark: '#24362c' }

describeInBrowser('the map of another server', () => {
  test('is replaced by what is built in where no tiles come', async () => {
    const streets = createServer((request, reply) => {
      reply.setHeader('access-control-allow-origin', '*')
      const tiles = [`http://${request.headers.host}/{z}/{x}/{y}`]
      const style = { version: 8, sources: { roads: { type: 'vector', tiles } }, layers: [ROADS] }
      if (request.url === '/style.json') reply.end(JSON.stringify(style))
      else reply.writeHead(500).end()
    })
    await new Promise<void>(resolve => streets.listen(0, '127.0.0.1', resolve))
    const { port } = streets.address() as AddressInfo
    const world = await startWorld({ MAP_STYLE_URL: `http://127.0.0.1:${port}/style.json` })
    onTestFinished(async () => {
      await world.stop()
      streets.close()
    })
    const dongle = ingestClient(world.service.url, world.key)
    await dongle.store(eventsAt(RESTING.deviceId, Date.now() - 60_000, { POSITION: 'POINT(11.575 48.137)' }))
    await settled(world.service.database)
    const page = await world.visit({ path: '/map', expects: [/request to another server/, /^error: /] })
    await page.getByText('The base map cannot be loaded').waitFor()
    await expect.poll(() => page.getByText('Natural Earth').isVisible(), PATIENCE).toBe(true)
  })
})

describeInBrowser("the operator's own map", () => {
  let world: ConsoleWorld
  let folder: string
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'tacho-own-map-'))
    await writeMadeMap(join(folder, 'region.pmtiles'))
    world = await startWorld({ MAP_FILE: join(folder, 'region.pmtiles') })
    const dongle = ingestClient(world.service.url, world.key)
    await dongle.store(eventsAt(RESTING.deviceId, Date.now() - 60_000, { POSITION: 'POINT(11.575 48.137)' }))
    await settled(world.service.database)
  })
  afterAll(async () => {
    await world.stop()
    await rm(folder, { recursive: true })
  })

  test.each(['light', 'dark'] as const)(
    'is drawn below the cars when it is %s, and says whose data it is',
    async scheme => {
      const page = await world.visit({ path: `/map?car=IMEI_${RESTING.deviceId}`, scheme })
      const finer = page.waitForRequest(/land-fine/, PATIENCE)
      const map = page.getByRole('region', { name: 'Map of all cars. The list of cars holds the same.' })
      await page.getByRole('link', { name: '© OpenStreetMap' }).waitFor()
      await expect
        .poll(async () => middleOfColor(page, await map.screenshot(), PARK[scheme]), { ...PATIENCE, interval: 300 })
        .not.toBeUndefined()
      expect(await page.getByText('This map has places, but no streets.').count()).toBe(0)
      expect(await barriersOn(page)).toEqual([])
      // Finer outlines come last, unless data is to be saved.
      await finer
    },
  )
})
