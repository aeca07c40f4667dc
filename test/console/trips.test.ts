import { text as textOf } from 'node:stream/consumers'
import { parse } from 'csv-parse/sync'
import type { Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Aggregation } from '../../src/api/v2/aggregations/aggregations.ts'
import { describeInBrowser, PATIENCE } from './chromium.ts'
import { keepLabels, keptLabels, slowTimers, whatMoves } from './in-page.ts'
import { AILING, type Beginnings, DRIVE, makeFleet, SOUND, TIME_ZONE } from './made-fleet.ts'
import { type ConsoleWorld, startWorld } from './world.ts'

/** The clock on the wall where the browsers of the tests are, in English. */
const clock = (timeMs: number) => new Date(timeMs).toLocaleTimeString('en-GB', { timeZone: TIME_ZONE })

/** How long a page takes at most to draw what has arrived. */
const SETTLED_MS = 500

describeInBrowser('trips', () => {
  let world: ConsoleWorld
  let began: Beginnings
  beforeAll(async () => {
    world = await startWorld()
    began = await makeFleet(world.service, world.key)
  })
  afterAll(() => world.stop())

  const lines = (page: Page) => page.getByRole('table', { name: 'Trips' }).getByRole('link', { name: /^Trip of/ })
  const openFirstTrip = async (page: Page) => {
    await lines(page).first().click()
    await page.getByRole('heading', { level: 1, name: `Trip of ${AILING.licensePlate}` }).waitFor()
  }

  test('are listed with their sums, the newest first, and filtered by car; the list is exported as CSV', async () => {
    const page = await world.visit({ path: '/trips', hasMaps: false })
    await expect.poll(() => lines(page).count(), PATIENCE).toBe(3)
    const carsOf = async () =>
      (await lines(page).evaluateAll(links => links.map(link => link.getAttribute('aria-label') ?? ''))).map(
        name => /^Trip of (.*?),/.exec(name)?.[1],
      )
    await expect.poll(carsOf, PATIENCE).toEqual([AILING.licensePlate, SOUND.licensePlate, AILING.licensePlate])
    const sums = page.getByRole('status', { name: 'Totals of the period' })
    await expect
      .poll(async () => (await sums.innerText()).split(/\s*\n\s*/), PATIENCE)
      .toEqual(['3 trips', '27\u00a0km', '30\u00a0min'])

    await page.getByRole('button', { name: 'Export' }).click()
    const file = await downloaded(page, page.getByRole('menuitem', { name: 'CSV' }))
    expect(file.name).toMatch(/^trips_\d{4}-\d\d-\d\d_\d{4}-\d\d-\d\d\.csv$/)
    const rows: Record<string, string>[] = parse(file.text, { columns: true, bom: true })
    expect(Object.keys(rows[0] ?? {})).toContain(`Start (${TIME_ZONE})`)
    const column = (title: string) => rows.map(row => row[title])
    expect(column('Car')).toEqual([AILING.licensePlate, SOUND.licensePlate, AILING.licensePlate])
    expect(column('Distance (km)')).toEqual(['9', '9', '9'])
    expect(column('Duration (min)')).toEqual(['10', '10', '10'])

    await page.getByRole('combobox', { name: 'Car' }).click()
    await page.getByRole('option', { name: new RegExp(SOUND.licensePlate) }).click()
    await expect.poll(() => lines(page).count(), PATIENCE).toBe(1)
    expect(await carsOf()).toEqual([SOUND.licensePlate])
    // The filter stands in the address.
    await page.reload()
    await expect.poll(() => lines(page).count(), PATIENCE).toBe(1)
  })

  test('numbers are those of the service, however few rows are loaded', async () => {
    const ask = async <T>(path: string): Promise<T> =>
      (
        await fetch(`${world.service.baseUrl}/${path}`, { headers: { authorization: `Bearer ${world.key}` } })
      ).json() as Promise<T>
    const sums = await ask<Aggregation[]>('aggregations?bin=FLEET&aggregationType=SUM&binSize=YEAR')
    const [km, seconds] = ['DRIVEN_DISTANCE', 'TRIP_DURATION'].map(type =>
      sums.reduce((sum, row) => sum + (row.eventType === type ? row.value : 0), 0),
    )
    const { trips } = await ask<{ readonly trips: readonly unknown[] }>('trips')

    const page = await world.visit({ path: '/trips', hasMaps: false })
    // What was read may be there before the page knows that it is being read.
    await page.addInitScript(slowTimers)
    await page.route(/maxResults=200/, route => route.continue({ url: route.request().url().replace('=200', '=1') }))
    await page.reload()
    const [distance, duration] = [`${km}\u00a0km`, `${(seconds ?? 0) / 60}\u00a0min`]
    await page.getByText(`Showing 1 of ${trips.length} trips`).waitFor()
    await page
      .getByRole('rowheader')
      .filter({ hasText: `${trips.length} trips · ${distance} · ${duration}` })
      .waitFor()
    const shown = page.getByRole('status').filter({ hasText: distance })
    await expect.poll(() => shown.innerText(), PATIENCE).toContain(duration)
    // What is searched may be among those that are not loaded.
    await page.getByRole('textbox', { name: 'Car or place' }).fill(AILING.licensePlate)
    await page.getByText(`Showing 2 of ${trips.length} trips`).waitFor()
  })

  test('wait for the names of cars: the list neither begins with ids nor goes away again, however late permissions are known; nothing moves for who wants less motion', async () => {
    const page = await world.visit({ path: '/account', hasMaps: false })
    await page.getByRole('heading', { level: 1 }).waitFor()
    const tripsAnswered = page.waitForResponse(/\/trips\?/)
    let goOn = () => {}
    const looked = new Promise<void>(resolve => {
      goOn = resolve
    })
    await page.route('**/auth/session', async route => {
      await tripsAnswered
      await looked
      await new Promise(resolve => setTimeout(resolve, SETTLED_MS))
      await route.continue()
    })
    await page.addInitScript(keepLabels, 'Trip of ')
    // Another page of the browser, not another of the console: nothing is known yet.
    await page.goto('/?again#/trips')
    await page.getByText('Loading …').waitFor({ state: 'attached' })
    expect(await page.evaluate(whatMoves)).toEqual([])
    goOn()
    await expect.poll(() => lines(page).count(), PATIENCE).toBe(3)
    const labels = await page.evaluate(keptLabels)
    expect(labels).toContainEqual(expect.stringContaining(AILING.licensePlate))
    expect(labels.filter(label => label.includes('VIN'))).toEqual([])
  })

  test('a trip is shown with its route, and replayed by button, keyboard and list of what happened', async () => {
    const page = await world.visit({ path: '/trips', savesData: true })
    await openFirstTrip(page)
    await page.getByRole('region', { name: /^Map with the route: 9 km, from / }).waitFor()
    const car = page.getByRole('img', { name: 'The car in the replay' })
    const instant = page.getByRole('slider', { name: 'Position in the replay' })
    const second = async () => Number(await instant.getAttribute('aria-valuenow'))
    const place = async () => (await car.boundingBox())?.x ?? Number.NaN
    await car.waitFor()
    expect(await second()).toBe(0)
    const startX = await place()

    await page.getByRole('button', { name: 'Play (space bar)' }).click()
    await expect.poll(second, PATIENCE).toBeGreaterThan(10)
    await expect.poll(place, PATIENCE).toBeGreaterThan(startX)
    await page.getByRole('button', { name: 'Pause (space bar)' }).click()
    const stoodAt = await second()

    await page.locator('main').focus()
    await page.keyboard.press('ArrowRight')
    await expect.poll(second, PATIENCE).toBeGreaterThanOrEqual(stoodAt + 9)
    await page.keyboard.press('Space')
    await page.getByRole('button', { name: 'Pause (space bar)' }).waitFor()
    await page.keyboard.press('Space')
    await page.getByRole('button', { name: 'Play (space bar)' }).waitFor()

    const happened = page.getByRole('list', { name: 'On the way' }).getByRole('button')
    const middleMs = began.ailingMs[1] + (DRIVE.lengthS / 2) * 1000
    await happened
      .filter({ hasText: 'Harsh braking' })
      .filter({ hasText: clock(middleMs) })
      .click()
    await expect.poll(second, PATIENCE).toBe(DRIVE.lengthS / 2)
    await page.waitForURL(address => address.hash.endsWith(`?at=${middleMs}`))
    expect(await instant.getAttribute('aria-valuetext')).toBe(`${clock(middleMs)}, ${DRIVE.fastKmh}\u00a0km/h`)
    expect(await happened.filter({ hasText: 'P0301' }).count()).toBe(1)
    await page.getByRole('img', { name: /^Speed over the time of the trip, at most 72 km\/h/ }).waitFor()
    await page.getByRole('definition').filter({ hasText: '72\u00a0km/h' }).waitFor()
  })

  test('a trip is exported as GPX with every measured place, and says why it is one', async () => {
    const page = await world.visit({ path: '/trips', hasMaps: false })
    await openFirstTrip(page)
    const { name, text } = await downloaded(page, page.getByRole('button', { name: 'Export GPX' }))
    expect(name).toMatch(new RegExp(`^${AILING.licensePlate.replace(' ', '-')}_.*\\.gpx$`))
    const points = [...text.matchAll(/<trkpt lat="([^"]+)" lon="([^"]+)">.*?<time>([^<]+)<\/time>/g)]
    expect(points).toHaveLength(DRIVE.lengthS / 10 + 1)
    expect(points[0]?.slice(1)).toEqual([
      String(AILING.home.lat),
      String(AILING.home.lon),
      new Date(began.ailingMs[1]).toISOString(),
    ])

    await page.getByRole('tab', { name: 'How this trip was detected' }).click()
    await page.getByRole('heading', { name: 'How the distance was measured' }).waitFor()
    await page.getByText('By the odometer').first().waitFor()
  })
})

async function downloaded(page: Page, button: Locator): Promise<{ readonly name: string; readonly text: string }> {
  const [download] = await Promise.all([page.waitForEvent('download'), button.click()])
  return { name: download.suggestedFilename(), text: await textOf(await download.createReadStream()) }
}
