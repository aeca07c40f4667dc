import type { BrowserContext, Page } from 'playwright-core'
import { sql } from '../../src/db/sql.ts'
import { findBrowser, startBrowser } from '../../test/console/browser.ts'
import { firstColorMs, longestTaskMs, recordFirstColor, recordLongTasks } from '../../test/console/in-page.ts'
import { wantedColor } from '../../test/console/picture.ts'
import { ingestClient } from '../../test/ingest-client.ts'
import { imeiOf } from '../simulation/imei.ts'
import { type BenchResult, median, meets, printResults } from './result.ts'
import { type RunningService, runService } from './running-service.ts'

/*
 * How soon the console's start page is of use, in a browser that has nothing of it yet: when the list can be read, when the map
 * is drawn, how long a task keeps the page from answering, and how soon a search has filtered. `npx tsx lab/bench/console.ts`, on a
 * machine that does nothing else; after `npm run build`.
 */

const ROUNDS = 5
const CARS_OF_REQUEST = 1000
/** Of the circles that count cars which stand close together. */
const CLUSTER = '#0b7285'
/** Until the map is drawn, which is the most work. */
const SETTLED_MS = 3000
const SCREEN = { width: 1280, height: 800 }
const EMAIL = 'bench@example.com'
const PASSWORD = 'correct horse battery'

interface Figures {
  readonly listMs: number
  readonly mapMs: number
  readonly longestTaskMs: number
  readonly searchMs: number
}

type Session = Awaited<ReturnType<BrowserContext['storageState']>>
let session: Session | undefined

const service = await runService({ TACHO_EMAIL: EMAIL, TACHO_PASSWORD: PASSWORD })
const browser = await startBrowser(await findBrowser())
try {
  const few = await figuresWith(0, 1000)
  const many = await figuresWith(1000, 10_000)
  const results = [
    figure('list readable, 1,000 cars', few.listMs, 1000),
    figure('map drawn, 1,000 cars', few.mapMs, 2500),
    figure('longest task, 1,000 cars', few.longestTaskMs, 200),
    figure('list readable, 10,000 cars', many.listMs, 1500),
    figure('a search filters, 10,000 cars', many.searchMs, 100),
  ]
  printResults(results)
  process.exitCode = results.every(meets) ? 0 : 1
} finally {
  await browser.close()
  await service.stop()
}

function figure(name: string, ms: number, atMostMs: number): BenchResult {
  return {
    name,
    measured: `${Math.round(ms)} ms, the median of ${ROUNDS}`,
    against: `${atMostMs} ms`,
    ratio: ms / atMostMs,
    target: { atMost: 1 },
  }
}

/** Adds cars until there are as many, then visits the page. */
async function figuresWith(from: number, to: number): Promise<Figures> {
  await addCars(service, from, to)
  const rounds: Figures[] = []
  for (let round = 0; round < ROUNDS; round++) rounds.push(await visit(to))
  const of = (pick: (figures: Figures) => number) => median(rounds.map(pick))
  return {
    listMs: of(round => round.listMs),
    mapMs: of(round => round.mapMs),
    longestTaskMs: of(round => round.longestTaskMs),
    searchMs: of(round => round.searchMs),
  }
}

/** Cars all over Germany. */
async function addCars({ url, key, database }: RunningService, from: number, to: number): Promise<void> {
  const dongles = ingestClient(url, key)
  const nowMs = Date.now()
  for (let first = from; first < to; first += CARS_OF_REQUEST)
    await dongles.store(
      Array.from({ length: CARS_OF_REQUEST }, (_, i) => first + i).flatMap(serial => {
        const [lon, lat] = [7 + ((serial * 0.618) % 7), 48 + ((serial * 0.414) % 5)]
        const recordedTimestamp = new Date(nowMs).toISOString()
        const event = { deviceId: imeiOf('35630705', serial), recordedTimestamp }
        return [
          { ...event, eventType: 'POSITION', value: `POINT(${lon.toFixed(5)} ${lat.toFixed(5)})` },
          { ...event, eventType: 'BATTERY_VOLTAGE', value: 12.6 },
        ]
      }),
    )
  await database.rows(sql`
    update vehicles set license_plate = 'L-TC ' || id where license_plate = '' returning id`)
}

/** Visits the page twice: whether a colour is on the map can only be seen by reading it back, which takes the page's time. */
async function visit(cars: number): Promise<Figures> {
  const drawn = await inNewBrowser(
    context => context.addInitScript(recordFirstColor, wantedColor(CLUSTER)),
    async page => {
      await untilListed(page, cars)
      await page.waitForFunction(firstColorMs)
      return (await page.evaluate(firstColorMs)) ?? Number.NaN
    },
  )
  return inNewBrowser(
    context => context.addInitScript(recordFirstRow),
    async page => {
      await untilListed(page, cars)
      const listMs = (await page.evaluate(firstRowMs)) ?? Number.NaN
      await page.waitForTimeout(SETTLED_MS)
      const task = await page.evaluate(longestTaskMs)
      const search = await page.evaluate(searchMs, String(imeiOf('35630705', cars - 223)))
      return { listMs, mapMs: drawn, longestTaskMs: task, searchMs: search }
    },
  )
}

async function untilListed(page: Page, cars: number): Promise<void> {
  await page.goto('/#/')
  await page.getByText(`${cars.toLocaleString('en')} cars`, { exact: true }).waitFor()
}

/** @param prepare says what is run before anything of the page */
async function inNewBrowser<T>(
  prepare: (context: BrowserContext) => Promise<unknown>,
  look: (page: Page) => Promise<T>,
): Promise<T> {
  session ??= await sessionOfLogin()
  const context = await browser.newContext({
    baseURL: service.url,
    viewport: SCREEN,
    locale: 'en-GB',
    storageState: session,
  })
  try {
    // What compiles this file names functions with a function of its own, which the page has not.
    await context.addInitScript({ content: 'globalThis.__name = named => named' })
    await context.addInitScript(recordLongTasks)
    await prepare(context)
    return await look(await context.newPage())
  } finally {
    await context.close()
  }
}

async function sessionOfLogin(): Promise<Session> {
  const context = await browser.newContext({ baseURL: service.url, locale: 'en-GB' })
  await logIn(await context.newPage())
  const state = await context.storageState()
  await context.close()
  return state
}

async function logIn(page: Page): Promise<void> {
  await page.goto('/')
  await page.getByLabel('E-mail').fill(EMAIL)
  await page.getByRole('textbox', { name: 'Password' }).fill(PASSWORD)
  await page.getByRole('button', { name: 'Log in' }).click()
  await page.getByRole('searchbox').waitFor()
}

// What follows runs in the page: the browser is sent its text.

interface InPage {
  readonly document: {
    querySelector(selector: string): { value: string; dispatchEvent(event: unknown): void } | null
    querySelectorAll(selector: string): { readonly length: number }
  }
  readonly HTMLInputElement: { readonly prototype: object }
  readonly Event: new (name: string, options: object) => unknown
  readonly requestAnimationFrame: (drawn: () => void) => void
}

/** To be run before anything of the page: notes when the first row of the list was painted. */
function recordFirstRow(): void {
  const { document, requestAnimationFrame } = globalThis as unknown as InPage
  const look = () => {
    if (document.querySelector('[role=option]')) {
      requestAnimationFrame(() => Object.assign(globalThis, { firstRowMs: performance.now() }))
      return
    }
    requestAnimationFrame(look)
  }
  look()
}

function firstRowMs(): number | null {
  return (globalThis as unknown as { readonly firstRowMs?: number }).firstRowMs ?? null
}

/** Types into the search as the browser does, until the list has one row and is painted. */
async function searchMs(text: string): Promise<number> {
  const { document, HTMLInputElement, Event, requestAnimationFrame } = globalThis as unknown as InPage
  const input = document.querySelector('input[type=search]')
  const beginMs = performance.now()
  // As the browser does: the page's own idea of the value stays as it was until it hears of it.
  Reflect.set(HTMLInputElement.prototype, 'value', text, input)
  input?.dispatchEvent(new Event('input', { bubbles: true }))
  while (document.querySelectorAll('[role=option]').length !== 1)
    await new Promise<void>(resolve => requestAnimationFrame(() => resolve()))
  return performance.now() - beginMs
}
