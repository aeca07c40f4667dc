import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { describeInBrowser, PATIENCE } from './chromium.ts'
import { focused } from './in-page.ts'
import { AILING, makeFleet } from './made-fleet.ts'
import { type ConsoleWorld, EMAIL, PASSWORD, startWorld } from './world.ts'

/** More stops than any page has before what these tests want. */
const MOST_STOPS = 60

describeInBrowser('with the keyboard alone', () => {
  let world: ConsoleWorld
  beforeAll(async () => {
    world = await startWorld()
    await makeFleet(world.service, world.key)
  })
  afterAll(() => world.stop())

  test('from the login to a car, its trips, and one of them', async () => {
    const page = await world.visit({ as: 'nobody' })
    const { keyboard } = page
    // The form has the focus from the beginning.
    await page.getByRole('button', { name: 'Log in' }).waitFor()
    await keyboard.type(EMAIL)
    await keyboard.press('Tab')
    await keyboard.type(PASSWORD)
    await keyboard.press('Enter')

    const list = page.getByRole('listbox', { name: 'List of cars' })
    await list.getByRole('option').first().waitFor()
    expect(await tabTo(page, 'listbox', 'List of cars')).toBe('seen')
    await keyboard.press('ArrowDown')
    await keyboard.press('Enter')
    const card = page.getByRole('region', { name: 'Chosen car' })
    await card.getByText(AILING.licensePlate).waitFor()
    await keyboard.press('Escape')
    await card.waitFor({ state: 'detached' })
    await keyboard.press('Enter')
    await card.getByText(AILING.licensePlate).waitFor()
    expect(await tabTo(page, 'a', 'Open car')).toBe('seen')
    await keyboard.press('Enter')
    await page.getByRole('heading', { level: 1 }).filter({ hasText: AILING.licensePlate }).waitFor()

    // The new page has the focus, and its name is the title and is read out.
    await expect.poll(async () => (await page.evaluate(focused))?.kind, PATIENCE).toBe('main')
    expect(await page.title()).toBe(`${AILING.licensePlate} · Tacho`)
    await page.locator('[aria-live]').getByText(`${AILING.licensePlate} · Tacho`).waitFor()

    expect(await tabTo(page, 'a', 'Trips of this car')).toBe('seen')
    await keyboard.press('Enter')
    await page.getByRole('heading', { level: 1, name: 'Trips' }).waitFor()
    await page
      .getByRole('link', { name: /^Trip of/ })
      .first()
      .waitFor()
    expect(await tabTo(page, 'a', `Trip of ${AILING.licensePlate}`)).toBe('seen')
    await keyboard.press('Enter')
    await page.getByRole('heading', { level: 1, name: `Trip of ${AILING.licensePlate}` }).waitFor()
    await page.getByRole('button', { name: 'Play (space bar)' }).waitFor()
    await keyboard.press('Space')
    await page.getByRole('button', { name: 'Pause (space bar)' }).waitFor()
  })
})

/** Presses the tab key until something of that role or element has the focus whose name begins so. @returns whether that can be seen */
async function tabTo(page: Page, kind: string, name: string): Promise<'seen' | 'not seen'> {
  const passed: string[] = []
  for (let stop = 0; stop < MOST_STOPS; stop++) {
    await page.keyboard.press('Tab')
    const at = await page.evaluate(focused)
    if (at?.kind === kind && at.name.startsWith(name)) return at.isSeen ? 'seen' : 'not seen'
    passed.push(`${at?.kind} ${at?.name}`)
  }
  throw new Error(`the tab key does not come to ${kind} "${name}", but to: ${passed.join(', ')}`)
}
