import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'

const FOLDER = fileURLToPath(new URL('../../dist/console/assets', import.meta.url))
const LIMIT_KB = 350
const TRANSLATION_LIMIT_KB = 25

/** The map library and its worker; outlines of countries are data. */
const MAP_LIBRARY = /^(base-map|maplibre)/
/** The texts of another language than English, which only those load who read it. */
const TRANSLATION = /^[a-z]{2}-/

test(`the code of all pages is at most ${LIMIT_KB} kB as gzip, without the map library, a translation ${TRANSLATION_LIMIT_KB} kB`, async () => {
  const names = (await readdir(FOLDER)).filter(name => /\.m?js$/.test(name))
  const sizes = new Map<string, number>()
  for (const name of names) sizes.set(name, gzipSync(await readFile(join(FOLDER, name))).length / 1000)
  const sum = (isCounted: (name: string) => boolean) =>
    [...sizes].reduce((total, [name, kB]) => total + (isCounted(name) ? kB : 0), 0)
  expect(sum(name => MAP_LIBRARY.test(name))).toBeGreaterThan(200)
  const translations = names.filter(name => TRANSLATION.test(name))
  expect(translations.length).toBeGreaterThan(0)
  for (const name of translations) expect(sizes.get(name)).toBeLessThan(TRANSLATION_LIMIT_KB)
  expect(sum(name => !MAP_LIBRARY.test(name) && !TRANSLATION.test(name))).toBeLessThan(LIMIT_KB)
})

test('the start page loads no code of other pages, of charts, or for drawing on maps', async () => {
  const page = await readFile(join(FOLDER, '../index.html'), 'utf8')
  const loaded = [...page.matchAll(/"\/assets\/([a-z-]+)-[^"]+\.js"/g)].map(([, name]) => name)
  expect(loaded).toContain('today-page')
  expect(loaded.filter(name => name && /^(pages|chart|base-map-drawing|base-map-own)$/.test(name))).toEqual([])
})
