import { readdirSync, readFileSync } from 'node:fs'

/** A conformance test, read from its source. */
interface TestTitle {
  /** Relative to this folder. */
  readonly file: string
  readonly ids: readonly string[]
  readonly title: string
}

const FOLDER = new URL('./', import.meta.url)

/** A text that begins with the ids of statements: `'[C-DEVICE-01, D-READ-07] …'`. */
const TITLE = /(['"`])\[((?:[CD]-[A-Z]+-\d+(?:, )?)+)\] (.*?)(?<!\\)\1/g

/** What `test.each` adds to each title of its table: `])('%s of what follows', …`. */
const TITLE_OF_TABLE = /\]\)\((['"`])%s(.*?)(?<!\\)\1/g

/** The titles of all tests in this folder, read from the sources so that the table can be written without running tests. */
export function testTitles(): TestTitle[] {
  return testFiles().flatMap(file => {
    const source = sourceOf(file)
    return [...source.matchAll(TITLE)].map(match => {
      const [, , ids = '', title = ''] = match
      const isInTable = /\[\s*$/.test(source.slice(0, match.index))
      TITLE_OF_TABLE.lastIndex = match.index
      const rest = isInTable ? (TITLE_OF_TABLE.exec(source)?.[2] ?? '') : ''
      return { file, ids: ids.split(', '), title: (title + rest).replaceAll('\\', '') }
    })
  })
}

export function testFiles(): string[] {
  return readdirSync(FOLDER)
    .filter(name => name.endsWith('.test.ts'))
    .sort()
}

export function sourceOf(file: string): string {
  return readFileSync(new URL(file, FOLDER), 'utf8')
}
