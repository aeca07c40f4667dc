import { afterAll, beforeAll, expect, test } from 'vitest'
import { barriersOn } from './axe.ts'
import { describeInBrowser, PATIENCE } from './chromium.ts'
import { makeFleet } from './made-fleet.ts'
import { type ConsoleWorld, startWorld } from './world.ts'

const DAY_MS = 86_400_000

describeInBrowser('rules', () => {
  let world: ConsoleWorld
  beforeAll(async () => {
    world = await startWorld()
    await makeFleet(world.service, world.key)
  })
  afterAll(() => world.stop())

  test('are tried on the past, saved with a date in it, changed and deleted', async () => {
    const page = await world.visit({ path: '/rules', hasMaps: false })
    await page.getByRole('button', { name: 'New rule' }).click()
    const dialog = page.getByRole('dialog')
    const kind = dialog.getByRole('combobox', { name: 'What should the fleet be watched for?' })
    expect([await kind.inputValue(), await page.getByRole('option').count()]).toEqual(['Speeding', 0])
    const limit = dialog.getByLabel('Speed limit (km/h)')
    expect(await limit.inputValue()).toBe('130')
    await dialog.getByText('Nothing.').waitFor()
    await limit.fill('5000')
    await dialog.getByText('This must be from 5 to 250.').waitFor()
    await limit.fill('50')
    await dialog.getByText('3 incidents in 2 cars').waitFor()
    const found = dialog.getByRole('list', { name: 'The first ones' }).getByRole('listitem')
    expect(await found.count()).toBe(3)
    const place = found.first().locator('a[href*="/trips/"]')
    await place.waitFor()
    expect(await place.getAttribute('href')).toMatch(/#\/trips\/\d+\?at=\d+$/)
    expect(await barriersOn(page)).toEqual([])

    await dialog.getByLabel('Name').fill('In town')
    const question = page.getByRole('dialog', { name: 'Discard your changes?' })
    for (const leave of [() => page.keyboard.press('Escape'), () => page.goBack()]) {
      await leave()
      await question.waitFor()
      await page.keyboard.press('Escape')
      await expect.poll(() => question.count(), PATIENCE).toBe(0)
      expect(await dialog.getByLabel('Name').inputValue()).toBe('In town')
    }
    await dialog.getByText('Since an earlier day').click()
    await dialog.getByLabel('Since', { exact: true }).fill(new Date(Date.now() - 7 * DAY_MS).toISOString().slice(0, 10))
    await dialog.getByRole('button', { name: 'Save' }).click()
    const row = page.getByRole('row').filter({ hasText: 'In town' })
    expect(await question.count()).toBe(0)
    await row.getByText('Speeding · Speed limit 50 km/h').waitFor()

    await row.getByRole('button', { name: 'Change the rule In town' }).click()
    const name = dialog.getByLabel('Name')
    await expect.poll(() => name.evaluate(field => field === field.ownerDocument.activeElement), PATIENCE).toBe(true)
    expect(await page.getByRole('option').count()).toBe(0)
    await dialog.getByText('Selected ones').click()
    await dialog.getByRole('button', { name: 'Save' }).click()
    await dialog.getByText('Choose at least one car.').waitFor()
    await dialog.getByText('All, including future ones').click()
    await dialog.getByText('At certain hours').click()
    await dialog.getByRole('spinbutton', { name: 'From: hour' }).fill('')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await dialog.getByText('Choose days and two times that differ.').waitFor()
    await dialog.getByRole('spinbutton', { name: 'From: hour' }).pressSequentially('2230')
    await dialog.getByText('To (until the next day)').waitFor()
    await dialog.getByRole('button', { name: 'Save' }).click()
    await row.getByText('at set hours').waitFor()

    await row.getByRole('link', { name: 'In town', exact: true }).click()
    await name.fill('Elsewhere')
    await page.goBack()
    await question.getByRole('button', { name: 'Discard' }).click()
    await expect.poll(() => dialog.count(), PATIENCE).toBe(0)
    const search = page.getByRole('textbox', { name: 'Search' })
    await search.fill('elsewhere')
    await page.getByText('No rule matches').waitFor()
    await page.waitForURL(/#\/rules\?search=elsewhere$/)
    // What is typed just before a page is left stays out of the next one, which takes its time.
    await page.route(/incidents-page/, route => setTimeout(() => void route.continue(), 1000))
    await search.fill('limit 50')
    await row.getByRole('link', { name: 'Incidents of the rule In town' }).click()
    const rows = page.getByRole('table', { name: 'Incidents' }).getByRole('row')
    await expect.poll(() => rows.count(), PATIENCE).toBe(4)

    await page.goto('/#/rules')
    await row.getByRole('button', { name: 'Delete the rule In town' }).click()
    await dialog.getByRole('button', { name: 'Delete' }).click()
    await page.getByText('No rules yet').waitFor()
  })
})
