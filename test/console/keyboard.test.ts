import { afterAll, beforeAll, expect, test } from 'vitest'
import { imeiOf } from '../../lab/simulation/imei.ts'
import { describeInBrowser, PATIENCE } from './chromium.ts'
import { focused } from './in-page.ts'
import { AILING, makeFleet, SOUND } from './made-fleet.ts'
import { makeRule } from './made-rules.ts'
import { choose, dialogWithFocus, enter, pick, tabTo, typeInto } from './tab-key.ts'
import { type ConsoleWorld, EMAIL, PASSWORD, startWorld } from './world.ts'

describeInBrowser('with the keyboard alone', () => {
  let world: ConsoleWorld
  beforeAll(async () => {
    world = await startWorld()
    const began = await makeFleet(world.service, world.key)
    await makeRule(world, {
      name: 'Through town',
      kind: 'SPEEDING',
      parameters: { limitKmh: 50 },
      fromMs: began.soundMs - 864e5,
    })
  })
  afterAll(() => world.stop())

  test('from the login to a car, its trips, and one of them', async () => {
    const page = await world.visit({ as: 'nobody', savesData: true })
    const { keyboard } = page
    // The form has the focus from the beginning.
    await page.getByRole('button', { name: 'Log in' }).waitFor()
    await keyboard.type(EMAIL)
    await keyboard.press('Tab')
    await keyboard.type(PASSWORD)
    await keyboard.press('Enter')

    const list = page.getByRole('listbox', { name: 'List of cars' })
    await list.getByRole('option').first().waitFor()
    expect(await tabTo(page, { kind: 'listbox', name: 'List of cars' })).toBe('seen')
    await keyboard.press('ArrowDown')
    await keyboard.press('Enter')
    const card = page.getByRole('region', { name: 'Chosen car' })
    await card.getByText(AILING.licensePlate).waitFor()
    await card.getByText('Engine warning light on').waitFor()
    await keyboard.press('Escape')
    await card.waitFor({ state: 'detached' })
    await keyboard.press('Enter')
    await card.getByText(AILING.licensePlate).waitFor()
    expect(await tabTo(page, { kind: 'a', name: 'Open car' })).toBe('seen')
    await keyboard.press('Enter')
    await page.getByRole('heading', { level: 1 }).filter({ hasText: AILING.licensePlate }).waitFor()

    // The new page has the focus, and its name is the title and is read out.
    await expect.poll(async () => (await page.evaluate(focused))?.kind, PATIENCE).toBe('main')
    expect(await page.title()).toBe(`${AILING.licensePlate} · Tacho`)
    await page.locator('[aria-live]').getByText(`${AILING.licensePlate} · Tacho`).waitFor()

    expect(await tabTo(page, { kind: 'a', name: 'Trips of this car' })).toBe('seen')
    await keyboard.press('Enter')
    await page.getByRole('heading', { level: 1, name: 'Trips' }).waitFor()
    await page
      .getByRole('link', { name: /^Trip of/ })
      .first()
      .waitFor()
    expect(await tabTo(page, { kind: 'a', name: `Trip of ${AILING.licensePlate}` })).toBe('seen')
    await keyboard.press('Enter')
    await page.getByRole('heading', { level: 1, name: `Trip of ${AILING.licensePlate}` }).waitFor()
    await page.getByRole('button', { name: 'Play (space bar)' }).waitFor()
    await keyboard.press('Space')
    await page.getByRole('button', { name: 'Pause (space bar)' }).waitFor()
  })

  test('an area is drawn and a rule is made', async () => {
    const page = await world.visit({ path: '/areas', hasMaps: false })
    await page.getByText('No area yet').waitFor()
    await enter(page, 'Draw', 'button')
    await tabTo(page, { name: 'Polygon' })
    await page.keyboard.press('ArrowRight')
    await typeInto(page, 'Name', 'Depot')
    await typeInto(page, /^Middle/, '49.01, 8.4')
    await typeInto(page, 'Radius in metres', '200')
    await enter(page, 'Save')
    await page.getByRole('button', { name: 'Depot' }).waitFor()

    await enter(page, 'Rules', 'a')
    await page.getByRole('row').filter({ hasText: 'Through town' }).waitFor()
    await enter(page, 'New rule')
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('combobox').first().waitFor()
    await dialogWithFocus(page)
    await typeInto(page, 'Speed limit (km/h)', '60')
    await typeInto(page, /^Name/, 'In town')
    await enter(page, 'Save')
    await page.getByRole('row').filter({ hasText: 'In town' }).waitFor()
    expect(await page.getByRole('row').filter({ hasText: 'In town' }).count()).toBe(1)
  })

  test('an incident is acknowledged, and trips are exported', async () => {
    const page = await world.visit({ path: '/rules', hasMaps: false })
    const dialog = page.getByRole('dialog')
    await page.getByRole('row').filter({ hasText: 'Through town' }).waitFor()
    await enter(page, /^Incidents(?! of)/, 'a')
    await page.getByRole('row').filter({ hasText: 'Through town' }).first().waitFor()
    await enter(page, 'Acknowledge: ', 'button')
    await dialog.getByLabel('Note').waitFor()
    await dialogWithFocus(page)
    await page.keyboard.type('Spoke to the driver.')
    await page.keyboard.press('Enter')
    await page.getByText(`by ${EMAIL}`).first().waitFor()

    await enter(page, /^Trips/, 'a')
    await page
      .getByRole('link', { name: /^Trip of/ })
      .first()
      .waitFor()
    const saved = page.waitForEvent('download')
    await enter(page, 'Export')
    // It is seen a moment before it has the focus.
    await expect.poll(async () => (await page.evaluate(focused))?.name, PATIENCE).toMatch(/^CSV/)
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    expect((await saved).suggestedFilename()).toMatch(/\.xlsx$/)
  })

  test('a dongle is added, moved into another car, and deleted', async () => {
    const imei = String(imeiOf('35630704', 707))
    const page = await world.visit({ path: '/devices', hasMaps: false })
    await page.getByRole('table').waitFor()
    await enter(page, 'Add a device', 'a')
    await page.getByRole('heading', { level: 1, name: 'Add a device' }).waitFor()
    await typeInto(page, 'IMEI or number', imei)
    await page.keyboard.press('Enter')
    await page.getByText(`Waiting for the first contact of ${imei}`).waitFor()

    await enter(page, 'Administration', 'a')
    await page.getByRole('tab', { name: 'Users' }).waitFor()
    await tabTo(page, { kind: 'tab', name: 'Users' })
    for (const _ of ['API keys', 'Devices']) await page.keyboard.press('ArrowRight')
    await page.getByRole('button', { name: 'Move' }).waitFor()
    await choose(page, /^Device( \*)?$/, imei)
    await choose(page, 'Into the car', SOUND.licensePlate)
    await enter(page, 'Move')
    await dialogWithFocus(page)
    await enter(page, 'Move it anyway')
    await page.getByText(`The device ${imei} is in ${SOUND.licensePlate} now.`).waitFor()
    await choose(page, 'Device to delete', imei)
    await enter(page, 'Delete …')
    await dialogWithFocus(page)
    await enter(page, 'Delete for good')
    const done = page.getByText(`The device ${imei} is deleted.`)
    await expect.poll(() => done.isVisible(), PATIENCE).toBe(true)
  })

  test('settings of a car are changed, and a user is added with a role', async () => {
    const page = await world.visit({ path: `/cars/VIN${SOUND.vin}`, hasMaps: false })
    await page.getByRole('heading', { name: 'Settings' }).waitFor()
    await typeInto(page, /^Model/, 'Caddy')
    await page.keyboard.press('Enter')
    await page.getByText('The settings are saved.').waitFor()

    await enter(page, 'Administration', 'a')
    await page.getByRole('row').filter({ hasText: EMAIL }).waitFor()
    await enter(page, 'Add a user')
    await dialogWithFocus(page, 'Add a user')
    const email = 'workshop@example.com'
    await typeInto(page, /^E-mail/, email)
    await typeInto(page, /^Password/, PASSWORD)
    await pick(page, 'Role', 'Workshop')
    await enter(page, 'Save')
    const role = page.getByRole('row').filter({ hasText: email }).getByText('Workshop', { exact: true })
    await expect.poll(() => role.isVisible(), PATIENCE).toBe(true)
  })

  test('a user is removed', async () => {
    const email = 'gone@example.com'
    await world.addUser(email, ['vehicles'])
    const page = await world.visit({ path: '/devices', hasMaps: false })
    await enter(page, 'Administration', 'a')
    const row = page.getByRole('row').filter({ hasText: email })
    await row.waitFor()
    await enter(page, `Remove ${email}`)
    const title = `Remove ${email}?`
    const dialog = page.getByRole('dialog', { name: title })
    await dialogWithFocus(page, title)
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
    // What was left alone has the focus again.
    await expect.poll(async () => (await page.evaluate(focused))?.name, PATIENCE).toBe(title)
    await page.keyboard.press('Enter')
    await dialogWithFocus(page, title)
    await enter(page, 'Remove')
    await row.waitFor({ state: 'detached' })
    // What was removed cannot have it: the page has.
    await expect.poll(async () => (await page.evaluate(focused))?.kind, PATIENCE).toBe('main')
    await enter(page, 'Trips', 'a')
    await page.getByRole('heading', { level: 1, name: 'Trips' }).waitFor()
  })

  test('the trips of one car of yesterday are found', async () => {
    const page = await world.visit({ path: '/devices', hasMaps: false })
    await enter(page, /^Trips/, 'a')
    const links = page.getByRole('table', { name: 'Trips' }).getByRole('link', { name: /^Trip of/ })
    await expect.poll(() => links.count(), PATIENCE).toBeGreaterThan(2)
    await choose(page, 'Car', SOUND.licensePlate)
    await expect.poll(() => links.count(), PATIENCE).toBe(1)
    await pick(page, 'Period', 'Today')
    await page.getByText('No trips in this period').waitFor()
    await pick(page, 'Period', 'Yesterday')
    await links.first().waitFor()
    expect(await links.count()).toBe(1)
    await enter(page, `Trip of ${SOUND.licensePlate}`, 'a')
    await page.getByRole('heading', { level: 1, name: `Trip of ${SOUND.licensePlate}` }).waitFor()
  })
})
