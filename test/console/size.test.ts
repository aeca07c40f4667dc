import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'

const FOLDER = fileURLToPath(new URL('../../dist/console/assets', import.meta.url))
const LIMIT_KB = 350
const TEXTS_LIMIT_KB = 25

/** The map library and its worker; outlines of countries are data. */
const MAP_LIBRARY = /^(base-map|maplibre)/
/** The texts of a language. Only those load another one than English who read it. */
const TEXTS = /^[a-z]{2}-/
/** What opens above a page, and the library of charts: loaded when first wanted. */
const ON_DEMAND = /^(palette|calendar|toasts|spreadsheet|chart)-/
const ON_DEMAND_LIMIT_KB = 25

test(`the code of all pages is at most ${LIMIT_KB} kB as gzip, without the map library and what opens above pages`, async () => {
  const names = (await readdir(FOLDER)).filter(name => /\.m?js$/.test(name))
  const sizes = new Map<string, number>()
  for (const name of names) sizes.set(name, gzipSync(await readFile(join(FOLDER, name))).length / 1000)
  const sum = (isCounted: (name: string) => boolean) =>
    [...sizes].reduce((total, [name, kB]) => total + (isCounted(name) ? kB : 0), 0)
  expect(sum(name => MAP_LIBRARY.test(name))).toBeGreaterThan(200)
  const within = (kind: RegExp, limitKb: number) => {
    const found = names.filter(name => kind.test(name))
    expect(found.length).toBeGreaterThan(1)
    expect(found.filter(name => (sizes.get(name) ?? 0) >= limitKb)).toEqual([])
  }
  within(TEXTS, TEXTS_LIMIT_KB)
  within(ON_DEMAND, ON_DEMAND_LIMIT_KB)
  const apart = [MAP_LIBRARY, TEXTS, ON_DEMAND]
  expect(sum(name => !apart.some(kind => kind.test(name)))).toBeLessThan(LIMIT_KB)
})

test('the start page loads no code of other pages, of charts, or for drawing on maps', async () => {
  const page = await readFile(join(FOLDER, '../index.html'), 'utf8')
  const loaded = [...page.matchAll(/"\/assets\/([a-z-]+)-[^"]+\.js"/g)].map(([, name]) => name)
  expect(loaded).toContain('today-page')
  expect(
    loaded.filter(
      name => name && /^(pages|chart|base-map-drawing|base-map-own|palette|calendar|toasts|spreadsheet)$/.test(name),
    ),
  ).toEqual([])
})
