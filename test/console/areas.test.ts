import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { describeInBrowser, PATIENCE } from './chromium.ts'
import { makeFleet, SOUND } from './made-fleet.ts'
import { PICTURES, settledPicture } from './picture.ts'
import { type ConsoleWorld, startWorld, type VisitOptions } from './world.ts'

describeInBrowser('areas', () => {
  let world: ConsoleWorld
  beforeAll(async () => {
    world = await startWorld()
    await makeFleet(world.service, world.key)
  })
  afterAll(() => world.stop())

  const stored = async () => {
    const reply = await fetch(`${world.service.baseUrl}/areas`, { headers: { authorization: `Bearer ${world.key}` } })
    return (
      (await reply.json()) as {
        areas: { id: string; name: string; geometry: { type: string; coordinates: unknown }; radiusM: number | null }[]
      }
    ).areas
  }
  const visit = (options: VisitOptions = {}) =>
    world.visit({ path: '/areas', savesData: PICTURES === undefined, ...options })
  const keep = async (page: Awaited<ReturnType<typeof visit>>, name: string) => {
    if (PICTURES !== undefined) await settledPicture(page, join(PICTURES, `areas-${name}.png`))
  }

  test('a circle is drawn, changed and deleted with the keyboard alone, and a list that is open elsewhere follows', async () => {
    const page = await visit({ hasMaps: false })
    const other = await visit({ hasMaps: false, language: 'de' })
    await other.getByText('Noch kein Gebiet').waitFor()
    await page.getByRole('button', { name: 'Draw' }).press('Enter')
    await page.getByRole('radio', { name: 'Polygon' }).press('ArrowRight')
    await page.getByLabel('Name').fill('Depot')
    await page.getByLabel('Middle').fill('49.01, 8.4')
    await page.getByLabel('Radius in metres').fill('200')
    await page.getByRole('button', { name: 'Save' }).press('Enter')
    await page.getByRole('button', { name: 'Depot' }).waitFor()
    expect(await stored()).toMatchObject([
      { name: 'Depot', geometry: { type: 'Point', coordinates: [8.4, 49.01] }, radiusM: 200 },
    ])
    await other.getByRole('button', { name: 'Depot' }).waitFor()

    await page.getByRole('button', { name: 'Change' }).click()
    await page.getByLabel('Radius in metres').fill('300')
    await page.getByText('The new shape applies').waitFor()
    await page.getByRole('button', { name: 'Save' }).click()
    await expect.poll(async () => (await stored())[0]?.radiusM, PATIENCE).toBe(300)

    await page.getByRole('button', { name: 'Delete' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
    await page.getByText('No area yet').waitFor()
    await other.getByText('Noch kein Gebiet').waitFor()
  })

  test('a polygon is drawn on the map with the mouse, and its corners stand in the field', async () => {
    const page = await visit()
    const canvas = page.locator('canvas.maplibregl-canvas')
    // The drawing library is loaded when somebody draws: a click that comes before it draws nothing.
    const draw = async () => {
      await page.getByRole('button', { name: 'Draw' }).click()
      await page.locator('canvas.maplibregl-canvas[style*="crosshair"]').waitFor()
    }
    await draw()
    const box = await canvas.boundingBox()
    const at = (x: number, y: number) => ({ x: (box?.x ?? 0) + x, y: (box?.y ?? 0) + y })
    // What was begun on the map is dropped only after a question.
    await page.mouse.click(at(200, 200).x, at(200, 200).y)
    await page.keyboard.press('Escape')
    await page.getByRole('dialog', { name: 'Discard your changes?' }).waitFor()
    await page.getByRole('button', { name: 'Keep editing' }).click()
    await page.getByRole('link', { name: 'Trips' }).click()
    await page.getByRole('button', { name: 'Discard' }).click()
    await page.getByRole('heading', { name: 'Trips' }).waitFor()
    await page.goBack()
    await draw()
    await page.getByLabel('Name').fill('Yard')
    const corners = [at(200, 200), at(400, 200), at(400, 350), at(200, 350), at(200, 200)]
    for (const { x, y } of corners) {
      await page.mouse.move(x, y)
      await page.mouse.click(x, y)
    }
    const written = () => page.getByLabel('Corners').inputValue()
    await expect.poll(written, PATIENCE).toMatch(/^-?[\d.]+, -?[\d.]+(\n-?[\d.]+, -?[\d.]+){3}$/)
    await keep(page, 'drawing')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('button', { name: 'Yard' }).waitFor()
    expect(await stored()).toMatchObject([
      { name: 'Yard', geometry: { type: 'Polygon', coordinates: [{ length: 5 }] } },
    ])
    await keep(page, 'list')
  })

  test('who was in an area is told, and a phone shows it as well', async () => {
    await fetch(`${world.service.baseUrl}/areas`, {
      method: 'POST',
      headers: { authorization: `Bearer ${world.key}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        name: 'Customer',
        kind: 'CUSTOMER',
        color: '#e8590c',
        geometry: { type: 'Point', coordinates: [SOUND.home.lon, SOUND.home.lat] },
        radiusM: 400,
      }),
    })
    for (const options of [{ language: 'en' }, { language: 'de', scheme: 'dark', isPhone: true }] as const) {
      const page = await visit(options)
      await page.getByRole('button', { name: 'Customer' }).click()
      await keep(page, `chosen-${options.language}`)
      await page.getByRole('button', { name: options.language === 'en' ? 'Who was here' : 'Wer war hier' }).click()
      await page.getByLabel(options.language === 'en' ? /Shortest stay/ : /Kürzester Aufenthalt/).fill('0')
      await expect.poll(() => page.getByRole('link', { name: SOUND.licensePlate }).count(), PATIENCE).toBe(1)
      // The address shows the same to others.
      expect(page.url()).toMatch(/#\/areas\?area=[^&]+&visits=true$/)
      // The list leaves room for the map in a small window.
      expect((await page.locator('.maplibregl-map').boundingBox())?.width).toBeGreaterThan(300)
      await keep(page, `visits-${options.language}`)
    }
  })

  test('a circle is changed by its middle and its edge', async () => {
    const { id } = (await stored()).find(area => area.name === 'Customer') ?? {}
    const page = await visit({ path: `/areas?area=${id}` })
    await page.getByRole('button', { name: 'Change' }).click()
    const edge = page.getByRole('img', { name: 'Edge of the circle' })
    await edge.waitFor()
    const radius = page.getByLabel('Radius in metres')
    // Again, as long as the map is still on its way to the area.
    const radiusAfterDrag = async () => {
      const { x = 0, y = 0 } = (await edge.boundingBox()) ?? {}
      await page.mouse.move(x + 8, y + 8)
      await page.mouse.down()
      await page.mouse.move(x - 100, y + 8, { steps: 4 })
      await page.mouse.up()
      return Number(await radius.inputValue())
    }
    await expect.poll(radiusAfterDrag, { ...PATIENCE, interval: 1000 }).toBeLessThan(390)
    await page.getByRole('button', { name: 'Save' }).click()
    await expect.poll(async () => (await stored()).find(area => area.id === id)?.radiusM, PATIENCE).toBeLessThan(390)
  })

  test('a file is imported in whatever encoding it declares, and what of it is no area is named', async () => {
    const placemark = (name: string, geometry: string) => `<Placemark><name>${name}</name>${geometry}</Placemark>`
    const ring = '<LinearRing><coordinates>8.4,49 8.41,49 8.41,49.01 8.4,49</coordinates></LinearRing>'
    const kml = `<?xml version="1.0" encoding="ISO-8859-1"?><kml>${placemark('Höfe Süd', ring)}${placemark('Tor', '')}</kml>`
    const page = await visit({ hasMaps: false, language: 'de' })
    await page.getByRole('button', { name: 'Dateien' }).click()
    const chooser = page.waitForEvent('filechooser')
    await page.getByRole('menuitem', { name: 'GeoJSON, KML oder KMZ einlesen' }).click()
    const buffer = Buffer.from(kml, 'latin1')
    await (await chooser).setFiles({ name: 'areas.kml', mimeType: 'application/vnd.google-earth.kml+xml', buffer })
    await page.getByText('Ein Gebiet wurde hinzugefügt.').waitFor()
    await page.getByText('In der Datei übergangen: 1').waitFor()
    await page.getByText('Area 2 of the file ("Tor") has no geometry.').waitFor()
    expect((await stored()).find(area => area.name === 'Höfe Süd')?.geometry.type).toBe('Polygon')
  })
})
