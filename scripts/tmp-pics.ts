import { mkdirSync } from 'node:fs'
import { findBrowser, startBrowser } from '../test/console/browser.ts'
import { areMapsSeen } from '../test/console/in-page.ts'
const [address = '', out = '', which = '0123', only = ''] = process.argv.slice(2)
mkdirSync(out, { recursive: true })
const browser = await startBrowser(await findBrowser())
const variants = ([ ['light', 'en', 1440], ['dark', 'de', 1440], ['light', 'de', 390], ['dark', 'en', 390] ] as [('light' | 'dark'), string, number][]).filter((_, i) => which.includes(String(i)))
const r = await fetch(`${address}/auth/token`, { method: 'POST', headers: { 'content-type': 'application/x-www-form-urlencoded' }, body: new URLSearchParams({ grant_type: 'password', username: 'office@example.com', password: 'correct horse battery 9' }) })
const { access_token: token } = await r.json() as any
const vehicles = (await (await fetch(address + '/cc/v2.0/vehicles?maxResults=50', { headers: { authorization: `Bearer ${token}` } })).json() as any).vehicles
console.log(vehicles.map((v: any) => [v.licensePlate, v.make, v.model, v.tripId, v.lastEvents.some((e: any) => e.eventType === 'HV_BATTERY_SOC')].join(' ')).join('\n'))
const idOf = (f: (v: any) => boolean) => (vehicles.find(f) ?? vehicles[0]).id
const plain = idOf(v => v.licensePlate === 'KA-HG 203')
const electric = idOf(v => v.lastEvents.some((e: any) => e.eventType === 'HV_BATTERY_SOC'))
const driving = idOf(v => v.tripId !== '')
const pages: [string, string][] = [['plain', `/cars/${plain}`], ['electric', `/cars/${electric}?range=7d`], ['driving', `/cars/${driving}?range=7d`], ['table', `/cars/${driving}?range=7d&show=table`], ['custom', `/cars/${driving}?from=2026-11-24T05:00:00Z&to=2026-11-24T17:00:00Z&series=GPS_SPEED,IS_IGNITION_ON,ENGINE_COOLANT_TEMPERATURE`], ['empty', `/cars/${driving}?from=2025-11-24T05:00:00Z&to=2025-11-24T17:00:00Z`], ['none', `/cars/${driving}?series=`], ['unknown', '/cars/VINNOTHING']]
for (const [scheme, lang, width] of variants) {
  const context = await browser.newContext({ viewport: { width, height: width < 500 ? 844 : 900 }, colorScheme: scheme, locale: lang === 'de' ? 'de-DE' : 'en-GB', timezoneId: 'Europe/Berlin', reducedMotion: 'reduce' })
  const page = await context.newPage()
  page.on('pageerror', e => console.log('ERROR', page.url(), e.message))
  page.on('console', m => m.type() === 'error' && console.log('console', page.url(), m.text().slice(0, 200)))
  await page.goto(address); await page.waitForTimeout(800)
  await page.locator('input[type=email], input[autocomplete=username]').first().fill('office@example.com'); await page.locator('input[type=password]').first().fill('correct horse battery 9'); await page.locator('button[type=submit]').click()
  await page.waitForTimeout(2500)
  for (const [name, path] of pages) {
    if (only && !only.split(',').includes(name)) continue
    await page.goto(`${address}/#${path}`); await page.waitForTimeout(1500)
    await page.waitForFunction(areMapsSeen, undefined, { timeout: 8000 }).catch(() => console.log('map?', name)); await page.waitForTimeout(800)
    const wide = await page.evaluate('document.documentElement.scrollWidth > document.documentElement.clientWidth'); if (wide) console.log('SIDEWAYS', name, scheme, lang, width)
    await page.screenshot({ path: `${out}/${name}.${scheme}.${lang}.${width}.png`, fullPage: true, clip: { x: 0, y: 0, width, height: Math.min(await page.evaluate('document.documentElement.scrollHeight') as number, 3000) } }).catch(e => console.log(name, e.message.slice(0, 80)))
  }
  await context.close()
}
await browser.close(); process.exit(0)
