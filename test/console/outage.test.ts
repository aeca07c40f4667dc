import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { type SecondApi, startSecondApi } from '../conformance/second-api.ts'
import { freePort } from '../free-port.ts'
import { describeInBrowser, PATIENCE } from './chromium.ts'
import { driverOf, makeFleet, RESTING, SOUND } from './made-fleet.ts'
import { type ConsoleWorld, startWorld } from './world.ts'

/** The browser tells of each request that nobody answered, of the stream that broke off, and of code it did not get. */
const CONNECTION_LOST = /Failed to load resource: net::ERR_|Failed to fetch dynamically imported module/

describeInBrowser('while the service is away', () => {
  let world: ConsoleWorld
  beforeAll(async () => {
    world = await startWorld()
    await makeFleet(world.service, world.key)
  })
  afterAll(() => world.stop())

  test('what is known stays, the header says so, and it goes on by itself afterwards', async () => {
    // A node of its own, at an address to which it comes back.
    const port = await freePort()
    const start = () => startSecondApi(world.service, { port })
    let node: SecondApi | undefined = await start()
    onTestFinished(() => node?.stop())
    const page = await world.visit({ keepsApp: true, hasMaps: false, url: node.url, expects: [CONNECTION_LOST] })
    const cars = page.getByRole('listbox', { name: 'List of cars' }).getByRole('option')
    await expect.poll(() => cars.count(), PATIENCE).toBe(3)
    const state = (text: string) => page.getByRole('status').getByText(text, { exact: true })
    await state('Live').waitFor()
    await page.getByRole('link', { name: 'Devices' }).click()
    await page.getByRole('cell', { name: String(SOUND.deviceId) }).waitFor()
    await page.getByRole('link', { name: 'Map' }).click()
    await expect.poll(() => cars.count(), PATIENCE).toBe(3)

    await node.stop()
    node = undefined
    await state('No connection').waitFor()
    expect(await cars.count()).toBe(3)
    await page.getByRole('link', { name: 'Devices' }).click()
    await page.getByRole('cell', { name: String(SOUND.deviceId) }).waitFor()
    // Not even the code of this page is there yet.
    await page.getByRole('link', { name: 'Trips' }).click()
    await page.getByText('Loading …').waitFor({ state: 'attached' })

    node = await start()
    await state('Live').waitFor()
    await page
      .getByRole('link', { name: /^Trip of/ })
      .first()
      .waitFor()
    await page.getByRole('link', { name: 'Map' }).click()
    const driver = driverOf(RESTING, world.service, world.key)
    await driver.begin()
    await driver.step(20, 58)
    await cars.filter({ hasText: RESTING.licensePlate }).getByText('58 km/h').waitFor()
  })
})
