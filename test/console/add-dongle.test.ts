import { afterAll, beforeAll, expect, test } from 'vitest'
import { imeiOf } from '../../lab/simulation/imei.ts'
import { ingestClient } from '../ingest-client.ts'
import { barriersOn } from './axe.ts'
import { describeInBrowser } from './chromium.ts'
import { untilNothingMoves } from './in-page.ts'
import { eventsAt } from './made-fleet.ts'
import { type ConsoleWorld, startWorld } from './world.ts'

describeInBrowser('the first minute', () => {
  let world: ConsoleWorld
  beforeAll(async () => {
    world = await startWorld()
  })
  afterAll(() => world.stop())

  test('leads from an empty map to a dongle that is awaited, is noticed when it reports, and to a car with a name', async () => {
    const imei = imeiOf('35630704', 808)
    const page = await world.visit({ hasMaps: false })
    await page.getByRole('link', { name: 'Add a device' }).click()
    await page.getByRole('heading', { level: 1, name: 'Add a device' }).waitFor()
    expect(await page.getByText('5027').count()).toBe(1)
    await page.getByText('an address of this machine only').waitFor()
    await page.getByLabel('IMEI or number').fill(String(imei))
    await page.getByRole('button', { name: 'Register and wait for it' }).click()
    await page.getByText(`Waiting for the first contact of ${imei}`).waitFor()

    const values = { POSITION: 'POINT(13.4 52.52)', BATTERY_VOLTAGE: 12.6 }
    await ingestClient(world.service.url, world.key).store(eventsAt(imei, Date.now(), values))
    await page.getByText(`The device ${imei} has reported.`).waitFor()
    await page.getByLabel('Licence plate').fill('S-TC 808')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('The car has its name.').waitFor()
    await page.locator('[data-loading]').waitFor({ state: 'detached' })
    await page.evaluate(untilNothingMoves)
    expect(await barriersOn(page)).toEqual([])
    await page.getByRole('link', { name: 'To the car' }).click()
    await page.getByRole('heading', { level: 1, name: 'S-TC 808' }).waitFor()
  })
})
