import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'

const PAGE = 'docs/how-to-add.md'
const inRoot = (path: string) => fileURLToPath(new URL(`../${path}`, import.meta.url))
const text = readFileSync(inRoot(PAGE), 'utf8')

/** Files and folders in code spans; `<name>` stands for what is added, so such a file is not there yet. */
const namedIn = (part: string) =>
  [...part.matchAll(/`((?:(?:src|test|docs|migrations|console|scripts|lab)\/|README\.md|\.env\.example)[^`\s]*)`/g)]
    .map(([, path = '']) => path)
    .filter(path => !path.includes('<'))

/** The files in the first column of the table of a section. */
function listedIn(heading: string): string[] {
  const section = text.split(`\n## ${heading}\n`)[1]?.split('\n## ')[0] ?? ''
  return [...section.matchAll(/^\| (`.*?) \| /gm)].flatMap(([, cell = '']) => namedIn(cell))
}

const contains = (file: string, ...words: string[]) => {
  const content = readFileSync(inRoot(file), 'utf8')
  return words.some(word => content.includes(word))
}

/** Sources, tests and documents but those that tell of changes and decisions. */
function filesWith(...words: string[]): string[] {
  const inFolders = ['src', 'console/src', 'test', 'docs', 'scripts', 'lab', 'migrations'].flatMap(folder =>
    readdirSync(inRoot(folder), { recursive: true, withFileTypes: true })
      .filter(entry => entry.isFile() && /\.(tsx?|mjs|md|sql|html|css)$/.test(entry.name))
      .map(entry => join(entry.parentPath, entry.name).slice(inRoot('').length).replaceAll('\\', '/')),
  )
  return [...inFolders, 'README.md', '.env.example']
    .filter(file => file !== PAGE && file !== 'test/how-to-add.test.ts' && !file.startsWith('docs/adr/'))
    .filter(file => contains(file, ...words))
}

describe('docs/how-to-add.md', () => {
  it('names files and folders that are there', () => {
    const named = namedIn(text)
    expect(named.length).toBeGreaterThan(30)
    expect(named.filter(path => !existsSync(inRoot(path)))).toEqual([])
  })

  it('lists every file that an event type needs', () => {
    expect(listedIn('An event type').sort()).toEqual(filesWith('GREEN_RPM_PERCENTAGE').sort())
  })

  it('lists every file that a setting needs', () => {
    expect(listedIn('A setting').sort()).toEqual(filesWith('ONLINE_WINDOW_S', 'onlineWindowS').sort())
  })

  it('lists files in which an endpoint stands', () => {
    const listed = listedIn('An endpoint')
    expect(listed).toHaveLength(4)
    expect(listed.filter(file => !contains(file, '/aggregations'))).toEqual([])
  })
})
