import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { describeInBrowser, PATIENCE } from './chromium.ts'
import { AILING, type Beginnings, DRIVE, makeFleet, RESTING, SOUND } from './made-fleet.ts'
import { type ConsoleWorld, startWorld } from './world.ts'

describeInBrowser('a car', () => {
  let world: ConsoleWorld
  let began: Beginnings
  beforeAll(async () => {
    world = await startWorld()
    began = await makeFleet(world.service, world.key)
  })
  afterAll(() => world.stop())

  const part = (page: Page, name: string) => page.getByRole('region', { name, exact: true })
  const titled = (page: Page, title: string) => page.getByRole('heading', { level: 1 }).filter({ hasText: title })

  test('tells its latest values, its fault codes with a text, and the health of its dongle', async () => {
    const page = await world.visit({ hasMaps: false, path: `/cars/VIN${AILING.vin}` })
    await titled(page, AILING.licensePlate).waitFor()
    const faults = part(page, 'Fault codes')
    await faults.getByText('P0301').waitFor()
    await faults.getByText('The engine warning light is on.').waitFor()
    expect(await faults.innerText()).toContain('Misfire cylinder 1 detected')
    const values = part(page, 'Latest values').getByRole('row')
    await values.filter({ hasText: 'Odometer' }).filter({ hasText: '48,218' }).waitFor()
    await part(page, 'Device').getByText('03.28.07').waitFor()
    await part(page, 'Starter battery').getByText('Was charging', { exact: true }).waitFor()
  })

  test('shows measurements as a chart and a table, hides lines, and asks for the finer range when zoomed', async () => {
    const range = { from: new Date(began.soundMs).toISOString(), to: new Date(began.soundMs + 600_000).toISOString() }
    const page = await world.visit({
      hasMaps: false,
      path: `/cars/VIN${SOUND.vin}?series=GPS_SPEED,ENGINE_COOLANT_TEMPERATURE&from=${range.from}&to=${range.to}`,
    })
    const history = part(page, 'History')
    const legend = history.getByRole('group', { name: 'Lines of the chart' }).getByRole('button')
    await expect.poll(() => legend.count(), PATIENCE).toBe(2)
    await history.getByRole('img', { name: /^Chart of Coolant/ }).waitFor()
    await history.getByRole('img', { name: /^Chart of Speed by GPS/ }).waitFor()
    await expect.poll(() => legend.last().innerText(), PATIENCE).toMatch(/90\s*°C/)
    await legend.last().click()
    await expect.poll(() => legend.last().getAttribute('aria-pressed'), PATIENCE).toBe('false')

    const asked = page.waitForRequest(request => {
      const { pathname, searchParams } = new URL(request.url())
      const [from, to] = ['fromTimestamp', 'toTimestamp'].map(name => Date.parse(searchParams.get(name) ?? ''))
      return pathname.endsWith('/events') && (to ?? 0) - (from ?? 0) < DRIVE.lengthS * 1000
    })
    await history.getByRole('button', { name: 'Zoom in' }).click()
    await history.getByRole('button', { name: 'Zoom in' }).click()
    await asked

    await history.getByRole('button', { name: 'Whole period' }).click()
    await page.goto(`/#/cars/VIN${SOUND.vin}?series=GPS_SPEED&from=${range.from}&to=${range.to}`)
    await history.getByText('Table', { exact: true }).click()
    const rows = history.getByRole('table').getByRole('row')
    await rows
      .filter({ hasText: `${DRIVE.fastKmh}\u00a0km/h` })
      .first()
      .waitFor()
    expect(Number(await history.getByRole('table').getAttribute('aria-rowcount'))).toBe(DRIVE.lengthS / 10 + 2)
  })

  test('has settings: a wrong VIN is refused, a plate shows up everywhere, and it is hidden and restored', async () => {
    const page = await world.visit({ hasMaps: false, path: `/cars/VIN${RESTING.vin}` })
    const elsewhere = await world.visit({ hasMaps: false })
    const cars = elsewhere.getByRole('listbox', { name: 'List of cars' }).getByRole('option')
    await cars.filter({ hasText: RESTING.licensePlate }).waitFor()

    const settings = part(page, 'Settings')
    const save = settings.getByRole('button', { name: 'Save' })
    await settings.getByLabel('VIN').fill('WVWZZZ1KZAW00030O')
    await save.click()
    await settings.getByText('A VIN has 17 letters and digits, and no I, O or Q.').waitFor()
    await settings.getByLabel('VIN').fill(RESTING.vin)
    await settings.getByLabel('Licence plate').fill('B-NEW 4')
    await save.click()
    await titled(page, 'B-NEW 4').waitFor()
    await cars.filter({ hasText: 'B-NEW 4' }).waitFor()

    await settings.getByLabel('Colour').fill('dark blue')
    await settings.getByLabel('Group').fill('Depot Altona')
    await save.click()
    await page.getByText(/dark blue · Depot Altona/).waitFor()
    await elsewhere.getByRole('combobox', { name: 'Group' }).selectOption('By group')
    await cars.filter({ hasText: 'Depot Altona · 1' }).filter({ hasText: 'B-NEW 4' }).waitFor()

    await settings.getByRole('button', { name: 'Hide the car' }).click()
    await page.getByRole('dialog', { name: 'Hide this car?' }).getByRole('button', { name: 'Hide the car' }).click()
    await page.getByText('This car is hidden').waitFor()
    await expect.poll(() => cars.filter({ hasText: 'B-NEW 4' }).count(), PATIENCE).toBe(0)
    await page.getByRole('button', { name: 'Restore the car' }).click()
    await cars.filter({ hasText: 'B-NEW 4' }).waitFor()
  })
})
