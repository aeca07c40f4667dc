import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { describeInBrowser, PATIENCE } from './chromium.ts'
import { areMapsSeen, ignoreWidths, whenShown } from './in-page.ts'
import { AILING, type Beginnings, driverOf, makeFleet, minuteOf, RESTING, SOUND, uploadsLate } from './made-fleet.ts'
import { middleOfColor, type Point } from './picture.ts'
import { type ConsoleWorld, PHONE, startWorld } from './world.ts'

/** `MOVEMENT_COLORS.driving` and `ATTENTION_COLOR` of the console. */
const DRIVING = '#099268'
const ATTENTION = '#e8590c'

/** To take a picture of a map and to search it costs as much as to draw it. */
const LOOKS = { ...PATIENCE, interval: 300 }

const LATENCY_SAMPLES = 5

describeInBrowser('the map', () => {
  let world: ConsoleWorld
  let began: Beginnings
  beforeAll(async () => {
    world = await startWorld()
    began = await makeFleet(world.service, world.key)
  })
  afterAll(() => world.stop())

  const map = (page: Page) => page.getByRole('region', { name: 'Map of all cars. The list of cars holds the same.' })
  const cars = (page: Page) => page.getByRole('listbox', { name: 'List of cars' }).getByRole('option')

  test('lists every car by plate with its state, and finds one by plate, VIN and IMEI', async () => {
    const page = await world.visit({ hasMaps: false })
    await expect
      .poll(() => cars(page).allInnerTexts(), PATIENCE)
      .toEqual([
        expect.stringMatching(new RegExp(`${AILING.licensePlate}\\s+Parked[^]+Engine warning light on \\+1`)),
        expect.stringMatching(new RegExp(`${RESTING.licensePlate}\\s+Parked`)),
        expect.stringMatching(new RegExp(`${SOUND.licensePlate}\\s+Parked`)),
      ])
    const ailing = cars(page).filter({ hasText: AILING.licensePlate })
    await expect.poll(() => ailing.innerText(), PATIENCE).toMatch(/\n\p{L}[^·]* · parked/u)
    const [, place = 'none'] = /\n(\p{L}[^·\n]*) · parked/u.exec(await ailing.innerText()) ?? []
    const search = page.getByRole('searchbox', { name: 'Car, place, state or fault code' })
    for (const typed of ['hh tc 202', SOUND.vin.slice(-8).toLowerCase(), String(SOUND.deviceId)]) {
      await search.fill(typed)
      await page.getByText('1 of 3 cars').waitFor()
      await expect
        .poll(() => cars(page).allInnerTexts(), PATIENCE)
        .toEqual([expect.stringContaining(SOUND.licensePlate)])
    }
    for (const typed of ['warning light', place, 'needs attention']) {
      await search.fill(typed)
      await expect
        .poll(() => cars(page).allInnerTexts(), PATIENCE)
        .toEqual([expect.stringContaining(AILING.licensePlate)])
    }
    await page.getByRole('region', { name: 'Places' }).waitFor({ state: 'hidden' })
    await search.fill('Heidelb')
    await page.getByRole('button', { name: 'Heidelberg Baden-Württemberg, Germany' }).waitFor()
    await search.fill('nothing of that name')
    await page.getByText('No car matches.').waitFor()
    await page.getByRole('button', { name: 'Show all cars again' }).click()
    await expect.poll(() => cars(page).count(), PATIENCE).toBe(3)
    // What a browser without WebGL is told.
    await page.getByText('This browser cannot draw the map').waitFor()
  })

  test('who may not see positions is told so in place of a map, and administrators choose the map of everybody', async () => {
    await world.addUser('clerk@example.com', ['vehicles'])
    const clerk = await world.visit({ as: 'clerk@example.com' })
    await clerk.getByText('You may not see where cars are', { exact: true }).waitFor()
    expect(await clerk.locator('canvas').count()).toBe(0)
    const page = await world.visit({ savesData: true })
    await page.getByRole('button', { name: 'Choose a map' }).click()
    await page.getByRole('radio', { name: 'No streets' }).click()
    // The page loads again, with the policy of the chosen map.
    const isReloaded = page.waitForEvent('load')
    await page.getByRole('button', { name: 'Show this map' }).click()
    await isReloaded
    await expect.poll(() => page.evaluate(areMapsSeen), PATIENCE).toBe(true)
    await expect.poll(() => page.getByText('This map has places, but no streets.').count(), PATIENCE).toBe(0)
  })

  test('a row says where a parked car is, and for how long it has been there', async () => {
    const page = await world.visit({ hasMaps: false })
    const row = cars(page).filter({ hasText: SOUND.licensePlate })
    await expect.poll(() => row.innerText(), PATIENCE).toMatch(/\n\p{L}[^·]* · parked for \d+\s(?:min|h)\b[^·]* · /u)
  })

  test('what filters the list filters the map, which loads no more than it must where data is to be saved', async () => {
    const page = await world.visit({ path: '/map?movement=parked', savesData: true })
    const files: string[] = []
    page.on('request', request => files.push(request.url()))
    const seen = async () => middleOfColor(page, await map(page).screenshot(), ATTENTION)
    await expect.poll(seen, LOOKS).toBeDefined()
    await page.getByRole('searchbox').fill(SOUND.licensePlate)
    await page.getByText('1 of 3 cars').waitFor()
    await expect.poll(seen, LOOKS).toBeUndefined()
    await page.getByRole('searchbox').fill('')
    await page.getByText('Needs attention 1').click()
    await page.getByText('1 of 3 cars').waitFor()
    await expect
      .poll(() => cars(page).allInnerTexts(), PATIENCE)
      .toEqual([expect.stringContaining(AILING.licensePlate)])
    await expect.poll(seen, LOOKS).toBeDefined()
    expect(files).not.toContainEqual(expect.stringContaining('land-fine'))
  })

  test('cars are grouped by what they have in common, and the keys go from one group into the next', async () => {
    const page = await world.visit({ hasMaps: false })
    await page.getByRole('combobox', { name: 'Group' }).selectOption('By make and model')
    await expect
      .poll(() => cars(page).allInnerTexts(), PATIENCE)
      .toEqual([
        expect.stringMatching(new RegExp(`Opel Corsa · 1\\s+${SOUND.licensePlate}`)),
        expect.stringMatching(new RegExp(`Škoda Octavia · 1\\s+${RESTING.licensePlate}`)),
        expect.stringMatching(new RegExp(`Volkswagen Golf · 1\\s+${AILING.licensePlate}`)),
      ])
    const list = page.getByRole('listbox', { name: 'List of cars' })
    await list.press('ArrowDown')
    await list.press('ArrowDown')
    await list.press('Enter')
    await page.getByRole('region', { name: 'Chosen car' }).getByText(RESTING.licensePlate).waitFor()
    await page.reload()
    await page.getByText('Škoda Octavia · 1').first().waitFor()
  })

  test('on a phone the list comes up over the map, and goes when a car is chosen; Escape closes its card', async () => {
    const page = await world.visit({ hasMaps: false, isPhone: true })
    await page.getByRole('button', { name: 'List (3)' }).click()
    const drawer = page.getByRole('dialog', { name: 'Cars' })
    await drawer.getByRole('option').filter({ hasText: SOUND.licensePlate }).click()
    await drawer.waitFor({ state: 'hidden' })
    const card = page.getByRole('region', { name: 'Chosen car' })
    await card.getByText(SOUND.licensePlate).waitFor()
    expect(page.url()).toContain(`car=VIN${SOUND.vin}`)
    await page.keyboard.press('Escape')
    await card.waitFor({ state: 'hidden' })
    await expect.poll(() => page.url(), PATIENCE).not.toContain('car=')
  })

  test('a map that is there before a turned screen has told its new width has the whole width', async () => {
    const page = await world.visit({ path: '/account' })
    await page.evaluate(ignoreWidths)
    await page.goto('/#/map')
    await map(page).waitFor()
    await page.setViewportSize(PHONE)
    expect((await map(page).boundingBox())?.width).toBe(PHONE.width)
    await page.getByRole('button', { name: 'Show all' }).click()
  })

  test('the map of a car shows the same after a change between light and dark', async () => {
    const page = await world.visit({ path: `/cars/VIN${AILING.vin}`, savesData: true })
    const scale = page.locator('.maplibregl-ctrl-scale')
    await scale.waitFor()
    await page.waitForFunction(areMapsSeen)
    const before = await scale.innerText()
    await page.getByRole('button', { name: 'Light or dark' }).click()
    await page.locator('html[data-mantine-color-scheme=dark]').waitFor()
    await page.waitForFunction(areMapsSeen)
    await expect.poll(() => scale.allInnerTexts(), PATIENCE).toEqual([before])
  })

  test('shows where everybody was at a minute, and what they did', async () => {
    const page = await world.visit({ hasMaps: false, path: `/map?at=${minuteOf(began.soundMs + 4 * 60_000)}` })
    const row = (plate: string) => cars(page).filter({ hasText: plate })
    await row(SOUND.licensePlate).getByText('Driving').waitFor()
    await row(SOUND.licensePlate)
      .getByText(/36\skm\/h/)
      .waitFor()
    await expect.poll(() => row(AILING.licensePlate).innerText(), PATIENCE).toMatch(/Parked[^]+parked for 4\sh/)
    await page.getByRole('button', { name: 'The day before' }).click()
    await row(SOUND.licensePlate).getByText('No values yet').waitFor()
    await page.getByRole('button', { name: 'The day after' }).click()
    await page.getByRole('slider', { name: 'Time of the day' }).press('End')
    await row(SOUND.licensePlate).getByText('Parked', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Back to now' }).click()
    await expect.poll(() => page.url(), PATIENCE).not.toContain('at=')
  })

  test('a car begins to drive, and moves on the map and in the list, without a reload', async () => {
    const page = await world.visit({ path: `/map?car=VIN${RESTING.vin}`, savesData: true })
    const card = page.getByRole('region', { name: 'Chosen car' })
    await card.getByText('Parked').waitFor()
    const driver = driverOf(RESTING, world.service, world.key)
    await driver.begin()
    await driver.step(20, 31)
    await card.getByText('Driving').waitFor()
    await cars(page).filter({ hasText: RESTING.licensePlate }).getByText('31 km/h').waitFor()
    expect(await card.getByRole('link', { name: 'Current trip' }).getAttribute('href')).toMatch(/#\/trips\/\d+$/)

    // While it is drawn anew, a car may be nowhere for a moment.
    let seen: Point | undefined
    const place = async () => {
      seen = (await middleOfColor(page, await map(page).screenshot(), DRIVING)) ?? seen
      return seen
    }
    await expect.poll(async () => (await place())?.x, LOOKS).toBeGreaterThan(0)
    const before = seen
    // Not so far that it leaves the map, whose middle is where the car was parked.
    await driver.step(800, 47)
    await card.getByText('47 km/h').waitFor()
    await expect.poll(async () => Math.round((await place())?.x ?? 0), LOOKS).not.toBe(Math.round(before?.x ?? 0))
    const after = seen
    expect(after?.x).toBeGreaterThan((before?.x ?? 0) + 20)
    expect(Math.abs((after?.y ?? 0) - (before?.y ?? 0))).toBeLessThan(10)

    const latenciesMs: number[] = []
    for (let sample = 0; sample < LATENCY_SAMPLES; sample++) {
      const speedKmh = 50 + sample
      const shown = page.evaluate(whenShown, { label: 'Chosen car', text: `${speedKmh}\u00a0km/h` })
      const committedMs = await driver.step(20, speedKmh)
      latenciesMs.push(Math.max(0, (await shown) - committedMs))
    }
    latenciesMs.sort((a, b) => a - b)
    console.info(`a live update is on the page ${latenciesMs.map(Math.round).join(', ')} ms after its commit`)
    expect(latenciesMs.at(-1)).toBeLessThan(10_000)
  })

  test('a car whose dongle uploads what it had stored is not said to drive as fast as it did then', async () => {
    await uploadsLate(world.service, world.key)
    const page = await world.visit({ hasMaps: false, path: '/map?movement=catchingUp' })
    await page.getByText('1 of 4 cars').waitFor()
    const rows = () => cars(page).allInnerTexts()
    // The town comes as soon as its address was worked out.
    await expect.poll(rows, PATIENCE).toEqual([expect.stringMatching(/Catching up\s+(Bonn · )?3 hr ago/)])
    expect(await rows()).not.toEqual([expect.stringContaining('km/h')])
    await cars(page).first().click()
    const card = page.getByRole('region', { name: 'Chosen car' })
    await card.getByText(/Its device is uploading what it had stored\. Newest value 3 hr ago/).waitFor()
  })
})
