import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ingestClient } from '../ingest-client.ts'
import { writeMadeMap } from '../made-map-file.ts'
import { settled } from '../settled.ts'
import { barriersOn } from './axe.ts'
import { describeInBrowser, PATIENCE } from './chromium.ts'
import { loadedFiles } from './in-page.ts'
import { eventsAt, RESTING } from './made-fleet.ts'
import { middleOfColor } from './picture.ts'
import { type ConsoleWorld, startWorld } from './world.ts'

/** A park of the made map, in the light and in the dark. */
const PARK = { light: '#d8e9cd', dark: '#24362c' }

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
      const page = await world.visit({ path: `/?car=IMEI_${RESTING.deviceId}`, scheme })
      const map = page.getByRole('region', { name: 'Map of all cars. The list of cars holds the same.' })
      await page.getByRole('link', { name: '© OpenStreetMap' }).waitFor()
      await expect
        .poll(async () => middleOfColor(page, await map.screenshot(), PARK[scheme]), { ...PATIENCE, interval: 300 })
        .not.toBeUndefined()
      expect(await page.getByText('This map has places, but no streets.').count()).toBe(0)
      expect(await barriersOn(page)).toEqual([])
      // Finer outlines come last, unless data is to be saved.
      await expect
        .poll(() => page.evaluate(loadedFiles), PATIENCE)
        .toContainEqual(expect.stringContaining('/assets/countries-50m'))
    },
  )
})
