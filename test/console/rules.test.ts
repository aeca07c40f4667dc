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
    await dialog.getByRole('combobox', { name: 'What should the fleet be watched for?' }).click()
    await page.getByRole('option', { name: 'Speeding', exact: true }).click()
    const limit = dialog.getByLabel('Speed limit (km/h)')
    expect(await limit.inputValue()).toBe('130')
    await dialog.getByText('Nothing.').waitFor()
    await limit.fill('5000')
    await dialog.getByText('This must be from 5 to 250.').waitFor()
    await limit.fill('50')
    await dialog.getByText('3 incidents in 2 cars').waitFor()
    expect(await dialog.getByRole('list', { name: 'The first ones' }).getByRole('listitem').count()).toBe(3)
    expect(await barriersOn(page)).toEqual([])

    await dialog.getByLabel('Name').fill('In town')
    await dialog.getByText('Since an earlier day').click()
    await dialog.getByLabel('Since', { exact: true }).fill(new Date(Date.now() - 7 * DAY_MS).toISOString().slice(0, 10))
    await dialog.getByRole('button', { name: 'Save' }).click()
    const row = page.getByRole('row').filter({ hasText: 'In town' })
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
    await dialog.getByRole('button', { name: 'Save' }).click()
    await row.getByText('at set hours').waitFor()

    await row.getByRole('link', { name: 'Incidents of the rule In town' }).click()
    const rows = page.getByRole('table', { name: 'Incidents' }).getByRole('row')
    await expect.poll(() => rows.count(), PATIENCE).toBe(4)

    await page.goto('/#/rules')
    await row.getByRole('button', { name: 'Delete the rule In town' }).click()
    await dialog.getByRole('button', { name: 'Delete' }).click()
    await page.getByText('No rules yet').waitFor()
  })
})
