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
}

function sourcesIn(folder: string): string[] {
  return readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .map(path => posix.join(folder, path.replaceAll('\\', '/')))
    .filter(path => /\.tsx?$/.test(path) && !/\.test\.tsx?$/.test(path))
}

/** Everything that the sources of a folder import, types and imports at run time included. */
function importsIn(folder: string): Import[] {
  return sourcesIn(folder).flatMap(from => {
    const text = readFileSync(join(ROOT, from), 'utf8')
    const matches = text.matchAll(
      /^(?:import|export)\b[^'"`;]*?\bfrom '([^']+)'|^import '([^']+)'|\bimport\('([^']+)'\)/gm,
    )
    return [...matches].map(([, ...names]) => {
      const name = names.find(item => item !== undefined) ?? ''
      return { from, to: name.startsWith('.') ? posix.join(dirname(from), name) : name }
    })
  })
}

function roomOf(path: string): Room | undefined {
  const inside = path.slice('src/'.length)
  const lengthIn = ({ paths }: Room) => Math.max(0, ...paths.filter(p => inside.startsWith(p)).map(p => p.length))
  const [nearest] = [...ROOMS].sort((a, b) => lengthIn(b) - lengthIn(a))
  return nearest && lengthIn(nearest) > 0 ? nearest : undefined
}

const imports = importsIn('src')
const inside = imports.filter(({ to }) => to.startsWith('src/'))
const packages = imports.filter(({ to }) => !to.startsWith('src/') && !to.startsWith('.'))

test('imports are found at all', () => {
  expect(inside.length).toBeGreaterThan(1000)
  expect(packages.length).toBeGreaterThan(100)
})

test('every file belongs to a room', () => {
  expect(sourcesIn('src').filter(path => !roomOf(path))).toEqual([])
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
  const wrong = importsIn('console/src').filter(({ to }) => /^(src|test|bench|scripts)\//.test(to))
  expect(wrong).toEqual([])
})
