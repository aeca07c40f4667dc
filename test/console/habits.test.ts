import { afterAll, beforeAll, expect, test } from 'vitest'
import { imeiOf } from '../../lab/simulation/imei.ts'
import { ingestClient } from '../ingest-client.ts'
import { describeInBrowser, PATIENCE } from './chromium.ts'
import { onPaper } from './in-page.ts'
import { eventsAt, makeFleet, SOUND } from './made-fleet.ts'
import { type ConsoleWorld, startWorld } from './world.ts'

/** More than are drawn at once. */
const MORE_CARS = 80

describeInBrowser('habits', () => {
  let world: ConsoleWorld
  beforeAll(async () => {
    world = await startWorld()
    await makeFleet(world.service, world.key)
    const serials = Array.from({ length: MORE_CARS }, (_, serial) => imeiOf('35630705', serial))
    const dongles = ingestClient(world.service.url, world.key)
    await dongles.store(serials.flatMap(imei => eventsAt(imei, Date.now(), { BATTERY_VOLTAGE: 12.6 })))
  })
  afterAll(() => world.stop())

  test('the palette finds cars, pages, places and actions', async () => {
    const page = await world.visit({ path: '/devices', hasMaps: false })
    await page.getByRole('heading', { level: 1, name: 'Devices' }).waitFor()
    const field = page.getByRole('textbox', { name: 'Car, page, place or action' })
    const find = async (typed: string, name: string | RegExp) => {
      await page.keyboard.press('ControlOrMeta+K')
      await field.fill(typed)
      await page.getByRole('dialog').getByRole('button', { name }).first().click()
    }
    await find(SOUND.licensePlate, SOUND.licensePlate)
    await page.getByRole('heading', { level: 1 }).filter({ hasText: SOUND.licensePlate }).waitFor()
    await find('heidelb', /^Heidelberg/)
    await expect.poll(() => page.url(), PATIENCE).toMatch(/#\/map\?lat=49\.4\d*&lon=8\.\d+$/)
    await find('new r', 'New rule')
    await page.getByRole('dialog', { name: 'New rule' }).waitFor()
    await page.keyboard.press('Escape')
    await find('', 'Statistics')
    await page.getByRole('heading', { level: 1, name: 'Statistics' }).waitFor()
  })

  test('keys lead to pages and to a list of them, but not where something is written, nor for who does not want them', async () => {
    const page = await world.visit({ path: '/incidents', hasMaps: false })
    const title = (name: string) => page.getByRole('heading', { level: 1, name }).waitFor()
    await title('Incidents')
    await page.keyboard.type('?')
    const list = page.getByRole('dialog', { name: 'Keyboard shortcuts' })
    await list.getByText('Statistics').waitFor()
    await page.keyboard.press('Escape')
    await list.waitFor({ state: 'detached' })
    await page.keyboard.type('gd')
    await title('Devices')
    const search = page.getByRole('searchbox').or(page.getByRole('textbox')).first()
    await search.fill('')
    await search.pressSequentially('gr?')
    expect(await search.inputValue()).toBe('gr?')
    await title('Devices')
    await page.goto('/#/account')
    await page.getByLabel('Single keys lead to pages').press('Space')
    await page.getByRole('main').focus()
    await page.keyboard.type('gr?')
    await title('Your account')
    expect(await list.count()).toBe(0)
  })

  test('paper has every row of a table, in dark letters on white, without what only a screen needs', async () => {
    const page = await world.visit({ path: '/devices', hasMaps: false, scheme: 'dark' })
    const rows = page.getByRole('table', { name: 'Devices' }).getByRole('row')
    await expect.poll(() => rows.count(), PATIENCE).toBeGreaterThan(10)
    expect(await rows.count()).toBeLessThan(MORE_CARS)
    await page.emulateMedia({ media: 'print' })
    const { rowCount, ...drawn } = await page.evaluate(onPaper, ['.shell-header', '.shell-navigation', 'main button'])
    expect(rowCount).toBeGreaterThan(MORE_CARS)
    expect(drawn).toEqual({ colors: 'rgb(0, 0, 0) on rgb(255, 255, 255)', unwanted: [] })
    await expect.poll(() => rows.count(), PATIENCE).toBeLessThan(MORE_CARS)
    expect(await page.locator('html').getAttribute('data-mantine-color-scheme')).toBe('dark')
  })

  test('days are written as in German, whatever the browser has', async () => {
    const page = await world.visit({ path: '/trips?from=2026-11-02&to=2026-11-03', hasMaps: false, language: 'de' })
    const first = page.getByPlaceholder('TT.MM.JJJJ').first()
    await expect.poll(() => first.inputValue(), PATIENCE).toBe('02.11.2026')
    await first.fill('1.11.26')
    await first.press('Enter')
    await expect.poll(() => page.url(), PATIENCE).toContain('from=2026-11-01')
  })
})
