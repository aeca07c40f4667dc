// Makes the README's pictures, one of them moving, from the demonstration: npm run pictures. It needs Chromium, as the tests of the console do.
import { execFileSync, spawn } from 'node:child_process'
import { rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { findBrowser, startBrowser } from '../test/console/browser.ts'
import { areMapsSeen } from '../test/console/in-page.ts'
import { settledPicture } from '../test/console/picture.ts'
import { freePort } from '../test/free-port.ts'
import { startFilm } from './film.ts'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const EMAIL = 'office@example.com'
const PASSWORD = 'correct horse battery 9'
const IMAGES = process.env.PICTURES ?? join(ROOT, 'docs', 'images')
const LEAVES_WITHIN_MS = 5000
const SIZE = { width: 1440, height: 900 }
const FILM_SIZE = { width: 1280, height: 800 }
const TYPES_EVERY_MS = 40
/** So long each page is seen. */
const READS_FOR_MS = 4000

execFileSync(process.execPath, [join(ROOT, 'scripts', 'build.mjs')], { stdio: 'inherit' })
const data = join(tmpdir(), `tacho-pictures-${process.pid}`)
const [port, teltonikaPort] = [await freePort(), await freePort()]
const address = `http://127.0.0.1:${port}`
const service = spawn(process.execPath, [join(ROOT, 'dist', 'main.js'), 'serve', '--demo'], {
  stdio: ['ignore', 'pipe', 'inherit'],
  env: {
    ...process.env,
    PORT: String(port),
    TELTONIKA_PORT: String(teltonikaPort),
    TACHO_DATA: data,
    TACHO_EMAIL: EMAIL,
    TACHO_PASSWORD: PASSWORD,
    LOG_LEVEL: 'warn',
    // A street map would need its servers, and nobody is to be asked for one.
    MAP_SOURCE: process.env.MAP_SOURCE ?? 'none',
  },
})
const ended = new Promise(resolve => service.once('exit', resolve))
const browser = await startBrowser(await findBrowser())
try {
  await isComplete()
  const context = await browser.newContext({
    viewport: SIZE,
    colorScheme: 'light',
    locale: 'en-GB',
    timezoneId: 'Europe/Berlin',
    reducedMotion: 'reduce',
  })
  const page = await context.newPage()
  const pages = page.getByRole('navigation', { name: 'Pages' })
  const openPage = (name: RegExp) => pages.getByRole('link', { name }).click()
  await firstMinute()
  await page.setViewportSize(SIZE)
  const api = await context.request.post(`${address}/auth/token`, {
    form: { grant_type: 'password', username: EMAIL, password: PASSWORD },
  })
  const { access_token: token } = (await api.json()) as { access_token: string }
  const tripId = await longestTrip(token)
  await picture('trip', () => page.goto(`${address}/#/trips/${tripId}`))
  await picture('incidents', () => openPage(/^Incidents/))

  /** From the login over what needs somebody and the moving cars to the reason of an incident. */
  async function firstMinute(): Promise<void> {
    await page.goto(address)
    await page.getByLabel('E-mail').waitFor()
    const end = await startFilm(page, FILM_SIZE)
    await page.getByLabel('E-mail').pressSequentially(EMAIL, { delay: TYPES_EVERY_MS })
    await page.getByRole('textbox', { name: 'Password' }).pressSequentially(PASSWORD, { delay: TYPES_EVERY_MS })
    await page.getByRole('button', { name: 'Log in' }).click()
    await pages.waitFor()
    await page.waitForTimeout(READS_FOR_MS)
    await openPage(/^Map$/)
    await page.waitForFunction(areMapsSeen)
    await page.waitForTimeout(READS_FOR_MS)
    const cars = page.getByRole('listbox', { name: 'List of cars' }).getByRole('option')
    await cars.filter({ hasText: 'Driving' }).first().click()
    await page.waitForTimeout(2 * READS_FOR_MS)
    await openPage(/^Incidents/)
    await page.waitForTimeout(READS_FOR_MS)
    await page.getByRole('table').getByRole('link', { name: 'Speeding' }).first().click()
    await page.waitForFunction(areMapsSeen)
    await page.waitForTimeout(READS_FOR_MS)
    await end(join(IMAGES, 'first-minute.webp'))
  }

  async function picture(name: string, go: () => Promise<unknown>): Promise<void> {
    await go()
    // Before that, the page that was left may be seen twice.
    await page.waitForTimeout(LEAVES_WITHIN_MS)
    await settledPicture(page, join(IMAGES, `${name}.png`))
  }
} finally {
  await browser.close()
  service.kill('SIGTERM')
  await ended
  rmSync(data, { recursive: true, force: true })
}

/** The address is printed when the past week is there. */
function isComplete(): Promise<void> {
  return new Promise((resolve, reject) => {
    service.stdout.on('data', chunk => String(chunk).includes(address) && resolve())
    service.once('exit', () => reject(new Error('the demonstration has ended')))
  })
}

/** With roads of all kinds. */
async function longestTrip(token: string): Promise<string> {
  const reply = await fetch(`${address}/cc/v2.0/trips?limit=1000`, { headers: { authorization: `Bearer ${token}` } })
  const { trips } = (await reply.json()) as { trips: readonly { readonly id: string; readonly distance: number }[] }
  const [longest] = trips.toSorted((a, b) => b.distance - a.distance)
  if (!longest) throw new Error('no car of the demonstration has driven')
  return longest.id
}
