import { afterAll, beforeAll, expect, test } from 'vitest'
import { describeInBrowser, PATIENCE } from './chromium.ts'
import { hasKeptState, isAppKept, readTexts } from './in-page.ts'
import { makeFleet, RESTING } from './made-fleet.ts'
import { type ConsoleWorld, PHONE, startWorld } from './world.ts'

/** The browser tells of each request that nobody answered. */
const NO_NETWORK = /Failed to load resource: net::ERR_/

describeInBrowser('without a network', () => {
  let world: ConsoleWorld
  beforeAll(async () => {
    world = await startWorld()
    await makeFleet(world.service, world.key)
  })
  afterAll(() => world.stop())

  test('the console opens, shows the fleet as it was and says how old that is; after a logout nothing is kept', async () => {
    const page = await world.visit({ keepsApp: true, hasMaps: false, expects: [NO_NETWORK] })
    const cars = page.getByRole('listbox', { name: 'List of cars' }).getByRole('option')
    await expect.poll(() => cars.count(), PATIENCE).toBe(3)
    await expect.poll(() => page.evaluate(isAppKept), PATIENCE).toBe(true)
    await expect.poll(() => page.evaluate(hasKeptState), { ...PATIENCE, interval: 500 }).toBe(true)

    await page.context().setOffline(true)
    await page.reload()
    await page.getByText('No connection', { exact: true }).waitFor()
    await page.getByText(/^As of /).waitFor()
    await expect.poll(() => cars.count(), PATIENCE).toBe(3)
    await cars.filter({ hasText: RESTING.licensePlate }).waitFor()

    await page.context().setOffline(false)
    await page.getByText('Live', { exact: true }).waitFor()
    expect(await page.getByText(/^As of /).count()).toBe(0)
    await page.getByRole('button', { name: 'Your account' }).click()
    await page.getByRole('menuitem', { name: 'Log out' }).click()
    await page.getByLabel('E-mail').waitFor()
    await expect.poll(() => page.evaluate(hasKeptState), PATIENCE).toBe(false)
  })
  test('a page that is opened while nobody answers, and of which nothing is known, says so and goes on by itself', async () => {
    const email = 'early@example.com'
    await world.addUser(email, ['vehicles', 'positions'])
    const page = await world.visit({
      as: email,
      path: '/account',
      keepsApp: true,
      hasMaps: false,
      isPhone: true,
      language: 'de',
      expects: [NO_NETWORK],
    })
    await page.getByRole('heading', { level: 1 }).waitFor()
    const isOfService = /\/(cc|stream|auth)\b/
    await page.route(isOfService, route => route.abort())
    await page.goto('/?again#/')
    await page.getByText('Der Dienst ist nicht erreichbar.').waitFor()
    await page.getByText('Keine Verbindung', { exact: true }).waitFor()
    // The header has room for that on a phone.
    const menu = await page.getByRole('button', { name: 'Ihr Zugang' }).boundingBox()
    expect(menu && menu.x + menu.width).toBeLessThan(PHONE.width)
    // The palette, which comes last, finds the error and leaves it there.
    await page.locator('link[href*="palette"]').first().waitFor({ state: 'attached' })
    await page.waitForTimeout(300)
    const texts = [...(await page.evaluate(readTexts))].join('\n')
    expect(texts).toContain('Sobald er antwortet')
    // Nothing is seen that could be of an earlier time.
    expect(texts).not.toMatch(/\b(Stand|vorher|veraltet)\b/)

    await page.unroute(isOfService)
    await page.getByRole('heading', { name: 'Heute', level: 1 }).waitFor()
  })
})
