import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'

const FOLDER = fileURLToPath(new URL('../../dist/console/assets', import.meta.url))
const LIMIT_KB = 370

/** The map library and its worker; outlines of countries are data. */
const MAP_LIBRARY = /^(base-map|maplibre)/

test(`the code of all pages together is at most ${LIMIT_KB} kB as gzip, without the map library`, async () => {
  const names = (await readdir(FOLDER)).filter(name => /\.m?js$/.test(name))
  const sizes = new Map<string, number>()
  for (const name of names) sizes.set(name, gzipSync(await readFile(join(FOLDER, name))).length / 1000)
  const sum = (isCounted: (name: string) => boolean) =>
    [...sizes].reduce((total, [name, kB]) => total + (isCounted(name) ? kB : 0), 0)
  expect(sum(name => MAP_LIBRARY.test(name))).toBeGreaterThan(200)
  expect(sum(name => !MAP_LIBRARY.test(name))).toBeLessThan(LIMIT_KB)
})
