import { afterAll, beforeAll, expect, test } from 'vitest'
import { imeiOf } from '../../src/simulation/imei.ts'
import { describeInBrowser, PATIENCE } from './chromium.ts'
import { type ConsoleWorld, logIn, startWorld } from './world.ts'

describeInBrowser('administration', () => {
  let world: ConsoleWorld
  beforeAll(async () => {
    world = await startWorld()
  })
  afterAll(() => world.stop())

  test('a user who is added can log in, and sees what was chosen', async () => {
    const page = await world.visit({ path: '/administration', expects: [/status of 400/] })
    await page.getByRole('button', { name: 'Add a user' }).click()
    const dialog = page.getByRole('dialog', { name: 'Add a user' })
    await dialog.getByLabel('E-mail').fill('new@example.com')
    await dialog.getByRole('textbox', { name: 'Password' }).fill('a long enough one')
    await dialog.getByRole('checkbox', { name: 'Fault codes' }).uncheck()
    await dialog.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('row').filter({ hasText: 'new@example.com' }).getByText('7 of 10').waitFor()

    const own = await world.visit({ as: 'nobody' })
    await logIn(own, 'new@example.com', 'a long enough one')
    const menu = own.getByRole('navigation', { name: 'Pages' }).getByRole('link')
    await menu.first().waitFor()
    expect(await menu.allInnerTexts()).toEqual(['Map', 'Trips', 'Statistics', 'Devices'])
  })

  test('a key that is made works until it is revoked', async () => {
    const page = await world.visit({ path: '/administration' })
    await page.getByRole('tab', { name: 'API keys' }).click()
    await page.getByRole('button', { name: 'Make a key' }).click()
    const dialog = page.getByRole('dialog', { name: 'Make a key' })
    await dialog.getByLabel('Name').fill('workshop')
    await dialog.getByRole('button', { name: 'Make a key' }).click()
    await dialog.getByText('The key is shown only this once.').waitFor()
    const key = await dialog.locator('pre').innerText()
    const status = async () => {
      const headers = { authorization: `Bearer ${key}` }
      return (await fetch(`${world.service.baseUrl}/vehicles`, { headers })).status
    }
    expect(await status()).toBe(200)
    await dialog.getByRole('button', { name: 'Done' }).click()
    await page.getByRole('button', { name: 'Revoke the key workshop?' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click()
    await expect.poll(() => page.getByRole('cell', { name: 'workshop' }).count(), PATIENCE).toBe(0)
    await expect.poll(status, PATIENCE).toBe(401)
  })

  test('a dongle that is registered appears on the map page with its car', async () => {
    const page = await world.visit({ path: '/administration' })
    await page.getByRole('tab', { name: 'Dongles' }).click()
    const imei = imeiOf('35630704', 909)
    await page.getByLabel('IMEI').fill(String(imei))
    await page.getByLabel('Number plate').fill('KA-TC 9')
    await page.getByRole('button', { name: 'Register' }).click()
    await page.getByText(`The dongle ${imei} is registered.`).waitFor()
    await page.getByRole('link', { name: 'Map' }).click()
    await page.getByRole('option').filter({ hasText: 'KA-TC 9' }).getByText('No position yet').waitFor()
    expect(await page.getByRole('option').count()).toBe(1)
  })
})
