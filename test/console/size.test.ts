import { readFile } from 'node:fs/promises'
import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'

const FOLDER = new URL('../../dist/console/', import.meta.url)
const PAGE_LIMIT_KB = 350
const ON_DEMAND_LIMIT_KB = 25

/** With what draws on maps, and what draws the operator's own. */
const MAP_LIBRARY = /^_map-library/
const PAGE = /-page\.tsx$/
/** What is loaded when a person first opens it. */
const ON_DEMAND = [/shell\/palette/, /calendar\/date-input/, /@mantine\/notifications/, /write-excel-file/]
/** Texts of another language than English take the place of none: who reads them loads both. */
const LANGUAGE = /src\/translations\//

interface BuiltFile {
  readonly file: string
  readonly imports?: readonly string[]
  readonly dynamicImports?: readonly string[]
}

const built: Readonly<Record<string, BuiltFile>> = JSON.parse(
  await readFile(new URL('.vite/manifest.json', FOLDER), 'utf8'),
)
const code = Object.keys(built).filter(name => built[name]?.file.endsWith('.js') && !MAP_LIBRARY.test(name))
const sizesKb = new Map<string, number>()
for (const name of code)
  sizesKb.set(name, gzipSync(await readFile(new URL(built[name]?.file ?? '', FOLDER))).length / 1000)
const start = loadedBy('index.html')

/** All that is loaded with a file, and `isByItself` also what it loads later without being asked, such as its map. */
function loadedBy(first: string, isByItself = false): ReadonlySet<string> {
  const loaded = new Set<string>()
  const isAsked = (name: string) => [PAGE, LANGUAGE, ...ON_DEMAND].some(asked => asked.test(name))
  const add = (name: string) => {
    if (loaded.has(name) || MAP_LIBRARY.test(name)) return
    loaded.add(name)
    built[name]?.imports?.forEach(add)
    // What the router loads is of one page each; the map has it itself.
    if (isByItself && name !== 'index.html') built[name]?.dynamicImports?.filter(later => !isAsked(later)).forEach(add)
  }
  add(first)
  return loaded
}

const kbOf = (names: Iterable<string>) => [...names].reduce((sum, name) => sum + (sizesKb.get(name) ?? 0), 0)

test(`a page loads at most ${PAGE_LIMIT_KB} kB of code as gzip, with what all pages load, without the map library`, () => {
  const pages = code.filter(name => PAGE.test(name))
  expect(pages.length).toBeGreaterThan(12)
  const figures = ['index.html', ...pages].map(name => ({
    name,
    kb: Math.round(kbOf(new Set([...start, ...loadedBy(name, PAGE.test(name))]))),
  }))
  console.info(figures.map(({ name, kb }) => `${name}: ${kb} kB`).join('\n'))
  console.info(`all pages: ${Math.round(kbOf(code.filter(name => !LANGUAGE.test(name))))} kB`)
  expect(figures.filter(({ kb }) => kb > PAGE_LIMIT_KB)).toEqual([])
})

test(`what is opened on demand, and each language, is at most ${ON_DEMAND_LIMIT_KB} kB more; no other code is built`, () => {
  const opened = ON_DEMAND.map(kind => code.filter(name => kind.test(name)))
  expect(opened.map(names => names.length)).toEqual(ON_DEMAND.map(() => 1))
  const apart = [...opened.flat(), ...code.filter(name => LANGUAGE.test(name))]
  const moreKb = (name: string) => kbOf([...loadedBy(name)].filter(loaded => !start.has(loaded)))
  expect(apart.filter(name => moreKb(name) > ON_DEMAND_LIMIT_KB)).toEqual([])
  const pages = code.filter(name => PAGE.test(name)).flatMap(name => [...loadedBy(name, true)])
  const accounted = new Set([...start, ...pages, ...apart.flatMap(name => [...loadedBy(name)])])
  expect(code.filter(name => !accounted.has(name))).toEqual([])
})

test('the start page loads no code of other pages, and no page waits for that of its map', () => {
  const names = [...start].map(name => /assets\/([a-z-]+)-/.exec(built[name]?.file ?? '')?.[1])
  expect(new Set(names)).toEqual(new Set(['index', 'libraries', 'en', 'rolldown-runtime']))
  expect(
    code.filter(name => PAGE.test(name) && [...loadedBy(name)].some(loaded => loaded.startsWith('_maps'))),
  ).toEqual([])
})
