import { afterAll, beforeAll, expect, test } from 'vitest'
import { imeiOf } from '../../lab/simulation/imei.ts'
import { sql } from '../../src/db/sql.ts'
import { IS_DEEP } from '../deep.ts'
import { ingestClient } from '../ingest-client.ts'
import { describeInBrowser, PATIENCE } from './chromium.ts'
import { firstColorMs, loadedFiles, longestTaskMs, recordFirstColor, recordLongTasks } from './in-page.ts'
import { eventsAt } from './made-fleet.ts'
import { wantedColor } from './picture.ts'
import { type ConsoleWorld, logIn, startWorld } from './world.ts'

/** Of the circles that count cars which stand close together. */
const CLUSTER = '#0b7285'

const REQUEST_CARS = 1000
/** As many as a large customer has, or enough for lists that show a part of themselves. */
const CARS = IS_DEEP ? 10_000 : 2000
const CARS_TEXT = CARS.toLocaleString('en')

describeInBrowser('a large fleet', () => {
  let world: ConsoleWorld
  beforeAll(async () => {
    world = await startWorld()
  })
  afterAll(() => world.stop())

  /** Cars all over Germany, as many as there were not before. */
  const addCars = async (from: number, to: number) => {
    const dongles = ingestClient(world.service.url, world.key)
    const nowMs = Date.now()
    for (let first = from; first < to; first += REQUEST_CARS) {
      const serials = Array.from({ length: Math.min(REQUEST_CARS, to - first) }, (_, i) => first + i)
      await dongles.store(
        serials.flatMap(serial => {
          const [lon, lat] = [7 + ((serial * 0.618) % 7), 48 + ((serial * 0.414) % 5)]
          const position = `POINT(${lon.toFixed(5)} ${lat.toFixed(5)})`
          return eventsAt(imeiOf('35630705', serial), nowMs, { POSITION: position, BATTERY_VOLTAGE: 12.6 })
        }),
      )
    }
    await world.service.database.rows(sql`
      update vehicles set license_plate = 'L-TC ' || id where license_plate = '' returning id`)
  }

  test('1,000 cars are on the map soon', async () => {
    await addCars(0, 1000)
    const page = await world.visit({ as: 'nobody', savesData: true })
    await logIn(page)
    await page.getByText('1,000 cars', { exact: true }).waitFor()
    await page.addInitScript(recordFirstColor, wantedColor(CLUSTER))
    await page.goto('about:blank')
    await page.goto('/#/map')
    const seenMs = () => page.evaluate(firstColorMs)
    await expect.poll(seenMs, PATIENCE).not.toBe(null)
    console.info(`1,000 cars were on the map ${Math.round((await seenMs()) ?? 0)} ms after the page was asked for`)
  })

  test(`${CARS_TEXT} cars are listed, found and scrolled through`, async () => {
    await addCars(1000, CARS)
    const page = await world.visit({ path: '/devices' })
    await page.getByRole('table', { name: 'Devices' }).waitFor()
    // A page without a map does not load the code of maps.
    expect(await page.evaluate(loadedFiles)).not.toContainEqual(expect.stringContaining('/map-library-'))
    await page.addInitScript(recordLongTasks)
    await page.goto('about:blank')
    await page.goto('/#/map')
    await page.getByText(`${CARS_TEXT} cars`).waitFor()
    const listedMs = await page.evaluate(() => performance.now())

    const list = page.getByRole('listbox', { name: 'List of cars' })
    const shown = list.getByRole('option')
    expect(await shown.count()).toBeLessThan(100)
    await list.focus()
    await page.keyboard.press('End')
    await expect.poll(() => shown.last().getAttribute('aria-posinset'), PATIENCE).toBe(`${CARS}`)
    await page.getByRole('searchbox').fill(String(imeiOf('35630705', CARS - 223)))
    await page.getByText(`1 of ${CARS_TEXT} cars`).waitFor()
    expect(await shown.count()).toBe(1)
    await page.getByRole('searchbox').fill('')
    await page.getByText(`${CARS_TEXT} cars`, { exact: true }).waitFor()
    console.info(
      `${CARS_TEXT} cars were listed ${Math.round(listedMs)} ms after the page was asked for; the longest task took ${await page.evaluate(longestTaskMs)} ms`,
    )

    await page.getByRole('link', { name: 'Devices' }).click()
    const devices = page.getByRole('table', { name: 'Devices' })
    await expect.poll(() => devices.getAttribute('aria-rowcount'), PATIENCE).toBe(`${CARS + 1}`)
    expect(await devices.getByRole('row').count()).toBeLessThan(100)
  })
})
