import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { barriersOn } from './axe.ts'
import { describeInBrowser, PATIENCE } from './chromium.ts'
import { readConsoleTexts } from './console-texts.ts'
import { fitsWindow, readTexts, untilNothingMoves, widths } from './in-page.ts'
import { AILING, makeFleet, minuteOf } from './made-fleet.ts'
import { makeRule } from './made-rules.ts'
import { PICTURES, settledPicture } from './picture.ts'
import { type ConsoleWorld, EMAIL, PASSWORD, PHONE, SCREEN, startWorld, type VisitOptions } from './world.ts'

// Each test draws every page of the console, maps without a graphics card among them.
vi.setConfig({ testTimeout: 600_000 })

const DAY_MS = 86_400_000

describeInBrowser('every page', () => {
  let world: ConsoleWorld
  let pages: readonly (readonly [name: string, path: string])[]
  beforeAll(async () => {
    world = await startWorld()
    const { soundMs } = await makeFleet(world.service, world.key)
    await makeRule(world, { name: 'In town', kind: 'SPEEDING', parameters: { limitKmh: 50 }, fromMs: soundMs - DAY_MS })
    const headers = { authorization: `Bearer ${world.key}` }
    const listOf = async (name: string) => (await fetch(`${world.service.baseUrl}/${name}`, { headers })).json()
    const { trips } = (await listOf('trips')) as { trips: { id: string; vehicleId: string }[] }
    const { incidents } = (await listOf('incidents')) as { incidents: { id: string }[] }
    const incident = incidents.at(-1)?.id
    const trip = trips.filter(({ vehicleId }) => vehicleId === `VIN${AILING.vin}`).at(-1)?.id
    pages = [
      ['today', '/today'],
      ['map', '/map'],
      ['map-car', `/map?car=VIN${AILING.vin}`],
      ['map-then', `/map?at=${minuteOf(soundMs)}`],
      ['car', `/cars/VIN${AILING.vin}?range=7d`],
      ['trips', '/trips'],
      ['trip', `/trips/${trip}`],
      ['explanation', `/trips/${trip}?view=explanation`],
      ['areas', '/areas'],
      ['incidents', '/incidents'],
      ['incident', `/incidents/${incident}`],
      ['rules', '/rules'],
      ['new-rule', '/rules?new=true'],
      ['faults', '/faults'],
      ['faults-gone', '/faults?view=history'],
      ['statistics', '/statistics'],
      ['devices', '/devices'],
      ['add-dongle', '/devices/add'],
      ['administration', '/administration'],
      ['keys', '/administration?tab=keys'],
      ['operation', '/administration?tab=operation'],
      ['security-log', '/administration?tab=security-log'],
      ['account', '/account'],
      ['nowhere', '/nowhere'],
    ]
  })
  afterAll(() => world.stop())

  /**
   * Looks at each page, the login among them, when it stands still, on a screen and on a phone; its pictures are kept if somebody wants them.
   * @returns what axe finds and what is wider than the phone; on the screen, the pointer is on a button that stands out
   */
  const lookAround = async (look: string, options: VisitOptions, see: (page: Page, name: string) => Promise<void>) => {
    const barriers: string[] = []
    const wide: string[] = []
    const seeBoth = async (name: string) => {
      await whenStill(look, page, name)
      await see(page, name)
      const button = page.locator(OUTSTANDING).last()
      if ((await button.count()) > 0) await button.hover()
      await page.evaluate(untilNothingMoves)
      barriers.push(...(await barriersOn(page)).map(barrier => `${name}: ${barrier}`))
      await page.mouse.move(0, 0)
      await page.setViewportSize(PHONE)
      await whenStill(`${look} phone`, page, name)
      // A chart learns of another width some frames later, and of more of them on a busy machine.
      await page.waitForFunction(fitsWindow, undefined, PATIENCE).catch(() => undefined)
      const { content, screen } = await page.evaluate(widths)
      if (content > screen) wide.push(`${name}: ${content} px on ${screen} px`)
      barriers.push(...(await barriersOn(page)).map(barrier => `${name} on a phone: ${barrier}`))
      await page.setViewportSize(SCREEN)
    }
    const page = await world.visit({ ...options, as: 'nobody', path: '/devices', keepsApp: true })
    await page.getByRole('heading', { level: 1 }).waitFor()
    await seeBoth('login')
    await page.getByLabel(/^E-mail/i).fill(EMAIL)
    await page.getByRole('textbox', { name: /^Pass(word|wort)/ }).fill(PASSWORD)
    await page.keyboard.press('Enter')
    await page.getByRole('table').waitFor()
    for (const [name, path] of pages) {
      // Loaded anew: else the page before is there until the code of the next one is.
      await page.goto(`/?${name}#${path}`)
      await page.getByRole('heading').first().waitFor({ state: 'attached' })
      await expect
        .poll(() => page.getByText(/^(Loading …|Wird geladen …)$/).count(), { message: name, ...PATIENCE })
        .toBe(0)
      await seeBoth(name)
    }
    return { barriers, wide }
  }

  const whenStill = async (look: string, page: Page, name: string) => {
    await page.evaluate(untilNothingMoves)
    if (PICTURES === undefined) return
    mkdirSync(join(PICTURES, look), { recursive: true })
    await settledPicture(page, join(PICTURES, look, `${name}.png`))
  }

  // To draw every page takes long, so it is looked at for more than one thing each time.

  test('has no barrier that is serious, fits a phone, light, and is German for who wants German, as the data are', async () => {
    const { onlyEnglish, german } = await readConsoleTexts()
    const strange: string[] = []
    const understood = new Set<string>()
    const seen: string[] = []
    const options: VisitOptions = { scheme: 'light', language: 'de', hasMotion: true }
    const found = await lookAround('light', options, async (page, name) => {
      for (const text of await page.evaluate(readTexts)) {
        seen.push(text)
        if (german.has(text)) understood.add(text)
        if (onlyEnglish.has(text) || ENGLISH_WORD.test(text)) strange.push(`${name}: ${text}`)
      }
    })
    expect(found).toEqual({ barriers: [], wide: [] })
    expect(strange).toEqual([])
    expect(understood.size).toBeGreaterThan(60)
    expect(seen).toContain('Verbrennungsaussetzer Zylinder 1 erkannt')
  })

  test('has no barrier that is serious, dark, and fits a phone: nothing scrolls sideways but what has a place of its own', async () => {
    const failed: string[] = []
    // A browser whose locale is no language tag must do, too.
    const options: VisitOptions = { scheme: 'dark', language: 'none', savesData: PICTURES === undefined }
    const found = await lookAround('dark', options, async (page, name) => {
      if ((await page.getByText('That did not work.').count()) > 0) failed.push(name)
    })
    expect(found).toEqual({ barriers: [], wide: [] })
    expect(failed).toEqual([])
  })
})

/** What is filled with a colour, as buttons are that are nothing else: under the pointer it has another one. */
const OUTSTANDING = '.mantine-Button-root:is(:not([data-variant]), [data-variant=filled]):not(:disabled):visible'

/** Words that no German sentence has. */
const ENGLISH_WORD = /\b(the|of|and|is|are|with|from|since|ago|yesterday|today|cars?|trips?)\b/i
