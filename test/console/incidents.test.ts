import { afterAll, beforeAll, expect, test } from 'vitest'
import { ingestClient } from '../ingest-client.ts'
import { describeInBrowser, PATIENCE } from './chromium.ts'
import { AILING, type Beginnings, DRIVE, eventsAt, makeFleet, RESTING } from './made-fleet.ts'
import { makeRule } from './made-rules.ts'
import { type ConsoleWorld, EMAIL, startWorld } from './world.ts'

describeInBrowser('incidents', () => {
  let world: ConsoleWorld
  let began: Beginnings
  beforeAll(async () => {
    world = await startWorld()
    began = await makeFleet(world.service, world.key)
    await makeRule(world, {
      name: 'Through town',
      kind: 'SPEEDING',
      parameters: { limitKmh: 50 },
      fromMs: began.soundMs - 864e5,
    })
    await makeRule(world, { name: 'Hot', kind: 'ENGINE_HOT', severity: 'critical', fromMs: began.soundMs - 864e5 })
  })
  afterAll(() => world.stop())

  test('say how many there are, also when not all of them are read', async () => {
    const page = await world.visit({ path: '/account', hasMaps: false })
    await page.route(/\/cc\/v2\.0\/incidents\?.*includeDeleted/, async route => {
      const response = await route.fetch()
      const url = route.request().url()
      // As if there were always a page more.
      const more = url.includes('count=true') ? { 'x-total-count': '31234' } : { link: `<${url}>; rel="next"` }
      await route.fulfill({ response, headers: { ...response.headers(), ...more } })
    })
    await page.goto('/?again#/incidents')
    const counts = page.getByRole('status').filter({ hasText: '3 of 31,234 incidents' })
    await counts.waitFor()
    expect(await counts.innerText()).toContain('Only the newest 3 have been read.')
  })

  test('that a changed rule may still find are announced, with how many devices are left', async () => {
    const page = await world.visit({ path: '/account', hasMaps: false })
    let devicesLeft = 2204
    await page.route('**/cc/v2.0/rules/progress', route =>
      route.fulfill({ json: { isDone: devicesLeft === 0, changesWaiting: 0, devicesLeft } }),
    )
    await page.goto('/?again#/incidents?severity=critical&range=week')
    const progress = page.getByRole('status').filter({ hasText: '2,204 devices to go' })
    await progress.waitFor()
    devicesLeft = 0
    await expect.poll(() => progress.count(), PATIENCE).toBe(0)
  })

  test('are in the other language as soon as it is chosen', async () => {
    const page = await world.visit({ path: '/incidents', hasMaps: false })
    const titled = (title: string) => page.getByRole('row').filter({ hasText: title })
    await expect.poll(() => titled('Speeding').count(), PATIENCE).toBe(3)
    await page.getByText('DE', { exact: true }).click()
    await expect.poll(() => titled('Zu schnell').count(), PATIENCE).toBe(3)
  })

  test('are listed, acknowledged with a note, and lead to the trip at that time', async () => {
    const page = await world.visit({ path: '/incidents', hasMaps: false })
    const table = page.getByRole('table', { name: 'Incidents' })
    const rows = table.getByRole('row').filter({ hasText: 'Speeding' })
    await expect.poll(() => rows.count(), PATIENCE).toBe(3)
    const row = rows.filter({ hasText: AILING.licensePlate }).first()
    await expect.poll(() => row.innerText(), PATIENCE).toMatch(new RegExp(`Through town[^]*${DRIVE.fastKmh}\\skm/h`))
    await row.getByRole('button', { name: /^Acknowledge/ }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Note').fill('Spoke to the driver.')
    await dialog.getByRole('button', { name: 'Acknowledge' }).click()
    await row.getByText(`by ${EMAIL}`).waitFor()

    await row.getByRole('link', { name: 'Speeding' }).click()
    await page.getByRole('heading', { level: 1, name: `Speeding: ${AILING.licensePlate}` }).waitFor()
    await page.getByText('Spoke to the driver.').waitFor()
    await page.getByText('The car is faster than the limit').waitFor()
    await page.getByText('Through town, version 1.').waitFor()
    await page.getByRole('button', { name: 'Withdraw acknowledgement' }).click()
    await page.getByText('Nobody has acknowledged it yet.').waitFor()

    await page.getByRole('link', { name: 'To the trip at that time' }).click()
    await page.getByRole('heading', { level: 1, name: `Trip of ${AILING.licensePlate}` }).waitFor()
    const slider = page.getByRole('slider', { name: 'Position in the replay' })
    await expect.poll(() => slider.getAttribute('aria-valuenow'), PATIENCE).toBe(String(DRIVE.lengthS / 2))
  })

  test('are found by what their rows show, selected, acknowledged together, and taken back', async () => {
    const page = await world.visit({ path: '/incidents?state=unseen', hasMaps: false })
    const rows = page.getByRole('table', { name: 'Incidents' }).getByRole('row').filter({ hasText: 'Speeding' })
    await expect.poll(() => rows.count(), PATIENCE).toBe(3)
    await page.getByRole('textbox', { name: 'Search' }).fill(AILING.licensePlate.toLowerCase())
    await expect.poll(() => rows.count(), PATIENCE).toBe(2)
    await page.getByRole('textbox', { name: 'Search' }).fill('through town')
    await expect.poll(() => rows.count(), PATIENCE).toBe(3)

    await rows.nth(0).getByRole('checkbox').click()
    await rows
      .nth(2)
      .getByRole('checkbox')
      .click({ modifiers: ['Shift'] })
    await page.getByRole('button', { name: 'Acknowledge 3' }).click()
    const dialog = page.getByRole('dialog', { name: 'Acknowledge 3 incidents' })
    await dialog.getByLabel('Note').fill('Known')
    await page.keyboard.press('Enter')
    await page.getByText('No incident matches').waitFor()
    await page.getByText('3 incidents acknowledged.').waitFor()
    await page.getByRole('button', { name: 'Undo' }).click()
    await expect.poll(() => rows.count(), PATIENCE).toBe(3)
    expect(await rows.getByRole('checkbox', { checked: true }).count()).toBe(0)
  })

  test('that nobody acknowledged are what the console begins with, and are acknowledged there', async () => {
    const page = await world.visit({ path: '/', hasMaps: false })
    const card = page.getByRole('region', { name: 'Incidents to acknowledge' })
    await card.getByRole('heading', { name: 'Incidents to acknowledge: 3' }).waitFor()
    await card
      .getByRole('button', { name: `Acknowledge: Speeding, ${AILING.licensePlate}` })
      .first()
      .click()
    await card.getByRole('heading', { name: 'Incidents to acknowledge: 2' }).waitFor()
    await page.getByRole('button', { name: 'Undo' }).click()
    await card.getByRole('heading', { name: 'Incidents to acknowledge: 3' }).waitFor()
    const faults = page.getByRole('region', { name: 'Faults and warning lights' })
    await faults.getByRole('listitem').filter({ hasText: AILING.licensePlate }).getByText('P0301').waitFor()
    await page.getByRole('region', { name: 'On the road now' }).getByText('No car is on a trip.').waitFor()
    const yesterday = page.getByRole('region', { name: /^Yesterday/ })
    await expect.poll(() => yesterday.getByText(`${3 * DRIVE.distanceKm} km`).count(), PATIENCE).toBe(1)
  })

  test('that begin while the page is open appear by themselves, are counted in the menu, and are withdrawn by late data', async () => {
    const page = await world.visit({ path: '/incidents', hasMaps: false })
    const rows = page.getByRole('table', { name: 'Incidents' }).getByRole('row')
    await rows.nth(1).waitFor()
    const menu = page.getByRole('navigation', { name: 'Pages' })
    const unseen = (count: number) => menu.getByText(`${count} not acknowledged`).waitFor({ state: 'attached' })
    await unseen(3)
    const dongle = ingestClient(world.service.url, world.key)
    const nowMs = Date.now()
    const measured = (secondsAgo: number, celsius: number) =>
      eventsAt(RESTING.deviceId, nowMs - secondsAgo * 1000, {
        IS_IGNITION_ON: true,
        ENGINE_COOLANT_TEMPERATURE: celsius,
      })
    for (const secondsAgo of [120, 80, 40, 0]) await dongle.store(measured(secondsAgo, 121))
    const hot = rows.filter({ hasText: 'Engine too hot' })
    await hot.getByText('ongoing').waitFor()
    expect(await rows.nth(1).innerText()).toContain('Engine too hot')
    await unseen(4)
    // What the dongle had kept shows that it was never hot for long. One by one, some of it would leave other incidents for a while.
    await dongle.store([110, 100, 90, 70, 60, 50, 30, 20, 10].flatMap(secondsAgo => measured(secondsAgo, 90)))
    await hot.getByText('withdrawn').waitFor()
    await unseen(3)
  })

  test('are narrowed down by filters, which stand in the address', async () => {
    const page = await world.visit({ path: '/incidents?kind=SPEEDING&range=week', hasMaps: false })
    const rows = page.getByRole('table', { name: 'Incidents' }).getByRole('row')
    await expect.poll(() => rows.count(), PATIENCE).toBe(4)
    await page.goto('/#/incidents?severity=critical&kind=SPEEDING')
    await page.getByText('No incident matches').waitFor()
    await page.goto(`/#/incidents?car=VIN${RESTING.vin}&from=2020-01-01&to=2020-01-02`)
    await page.getByText('No incidents in this period').waitFor()
  })
})
