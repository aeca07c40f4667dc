import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, posix } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { OWNED_PACKAGES, ROOMS, type Room } from './allowed-imports.ts'

const ROOT = fileURLToPath(new URL('..', import.meta.url))

interface Import {
  /** Paths below the root of the project; a package or module of Node by its name. */
  readonly from: string
  readonly to: string
  /** What is between `import` and `from`; everything where that is missing. */
  readonly names: string | undefined
}

function sourcesIn(folder: string): string[] {
  return readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .map(path => posix.join(folder, path.replaceAll('\\', '/')))
    .filter(path => /\.tsx?$/.test(path))
}

const productIn = (folder: string) => sourcesIn(folder).filter(path => !/\.test\.tsx?$/.test(path))
const textOf = (path: string) => readFileSync(join(ROOT, path), 'utf8')

/** Everything that sources import, types and imports at run time included. */
function importsOf(paths: readonly string[]): Import[] {
  return paths.flatMap(from => {
    const matches = textOf(from).matchAll(
      /^(?:import|export)\b([^'"`;]*?)\bfrom '([^']+)'|^import '([^']+)'|\bimport\('([^']+)'\)/gm,
    )
    return [...matches].map(([, names, ...modules]) => {
      const name = modules.find(item => item !== undefined) ?? ''
      return { from, to: name.startsWith('.') ? posix.join(dirname(from), name) : name, names }
    })
  })
}

function roomOf(path: string): Room | undefined {
  const inside = path.slice('src/'.length)
  const lengthIn = ({ paths }: Room) => Math.max(0, ...paths.filter(p => inside.startsWith(p)).map(p => p.length))
  const [nearest] = [...ROOMS].sort((a, b) => lengthIn(b) - lengthIn(a))
  return nearest && lengthIn(nearest) > 0 ? nearest : undefined
}

const imports = importsOf(productIn('src'))
const inside = imports.filter(({ to }) => to.startsWith('src/'))
const packages = imports.filter(({ to }) => !to.startsWith('src/') && !to.startsWith('.'))

test('imports are found at all', () => {
  expect(inside.length).toBeGreaterThan(1000)
  expect(packages.length).toBeGreaterThan(100)
})

test('every file belongs to a room', () => {
  expect(productIn('src').filter(path => !roomOf(path))).toEqual([])
})

test('each room imports only rooms above it in the table', () => {
  const wrong = ROOMS.flatMap(({ name, imports: allowed }, index) => {
    const above = ROOMS.slice(0, index).map(room => room.name)
    return allowed.filter(other => !above.includes(other)).map(other => `${name} -> ${other}`)
  })
  expect(wrong).toEqual([])
})

test('no file imports what its room may not', () => {
  const wrong = inside.filter(({ from, to }) => {
    const [room, other] = [roomOf(from), roomOf(to)]
    return room && other && room !== other && !room.imports.includes(other.name)
  })
  expect(wrong).toEqual([])
})

test('every allowed pair is needed', () => {
  const used = new Set(inside.map(({ from, to }) => `${roomOf(from)?.name} -> ${roomOf(to)?.name}`))
  const allowed = ROOMS.flatMap(({ name, imports: others }) => others.map(other => `${name} -> ${other}`))
  expect(allowed.filter(pair => !used.has(pair))).toEqual([])
})

test('pure rooms import neither packages nor modules of Node', () => {
  expect(packages.filter(({ from }) => roomOf(from)?.packages === 'none')).toEqual([])
})

test('packages that belong to a room are imported there alone', () => {
  const wrong = packages.filter(({ from, to }) => {
    const owners = OWNED_PACKAGES[to]
    return owners && !owners.includes(roomOf(from)?.name ?? '')
  })
  expect(wrong).toEqual([])
})

test('the console is a client of the published API like any other', () => {
  const wrong = importsOf(productIn('console/src')).filter(({ to }) => /^(src|test|bench|scripts)\//.test(to))
  expect(wrong).toEqual([])
})

test('what no other file imports is not exported', () => {
  const paths = [...['src', 'console', 'test', 'lab', 'scripts'].flatMap(sourcesIn), 'vitest.config.ts']
  const used = new Set(
    importsOf(paths).flatMap(({ to, names }) => {
      const listed = /\{([^}]*)\}/.exec(names ?? '')?.[1]
      if (listed === undefined) return [`${to} *`]
      return listed.split(',').map(item => `${to} ${/(?:type )?([\w$]+)/.exec(item)?.[1]}`)
    }),
  )
  // Its generator does not know what the console uses.
  const written = paths.filter(path => path !== 'console/src/api/schema.ts')
  const exported = written.flatMap(path => {
    const declared = /^export (?:async )?(?:abstract )?(?:function\*?|const|let|class|interface|type) ([\w$]+)/gm
    return [...textOf(path).matchAll(declared)].map(([, name]) => ({ path, name }))
  })
  expect(exported.length).toBeGreaterThan(1000)
  expect(exported.filter(({ path, name }) => !used.has(`${path} ${name}`) && !used.has(`${path} *`))).toEqual([])
})
