import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { placesOf } from './places.ts'
import { STATEMENTS } from './statements/all.ts'
import { NOT_PROMISED } from './statements/not-promised.ts'
import { DOCUMENTS } from './statements/statement.ts'
import { conformanceTable } from './table.ts'
import { sourceOf, testFiles, testTitles } from './titles.ts'

const inRoot = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8')

describe('the list of statements', () => {
  it('gives each id once', () => {
    const ids = STATEMENTS.map(({ id }) => id)
    expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([])
  })

  it.each(DOCUMENTS)('covers every row and paragraph of %s', document => {
    const places = placesOf(inRoot(`docs/spec/${document}`))
    const open = STATEMENTS.filter(statement => statement.document === document)
    const uncovered: string[] = []
    for (const { heading, text, isRow } of places) {
      const fits = (place: string) => text === place || text.startsWith(place)
      const found =
        open.find(statement => statement.heading === heading && statement.place === text) ??
        open.find(statement => statement.heading === heading && fits(statement.place))
      // Each occurrence of a place, such as a parameter of two tables, needs a statement of its own.
      if (found) open.splice(open.indexOf(found), 1)
      else if (isRow || !NOT_PROMISED.some(fits)) uncovered.push(`${heading}: ${text}`)
    }
    expect(uncovered).toEqual([])
  })

  it('names only places that exist', () => {
    const places = DOCUMENTS.flatMap(document =>
      placesOf(inRoot(`docs/spec/${document}`)).map(place => ({ document, ...place })),
    )
    const lost = STATEMENTS.filter(
      ({ document, heading, place }) =>
        !places.some(at => at.document === document && at.heading === heading && at.text.startsWith(place)),
    )
    expect(lost).toEqual([])
    expect(NOT_PROMISED.filter(text => !places.some(at => at.text.startsWith(text)))).toEqual([])
  })

  it('has a test for each statement', () => {
    const tested = new Set(testTitles().flatMap(({ ids }) => ids))
    expect(STATEMENTS.filter(({ id }) => !tested.has(id)).map(({ id }) => id)).toEqual([])
  })

  it('knows every statement that a test names', () => {
    const known = new Set(STATEMENTS.map(({ id }) => id))
    const named = testFiles().flatMap(file => sourceOf(file).match(/\b[CD]-[A-Z]+-\d+\b/g) ?? [])
    expect(named.filter(id => !known.has(id))).toEqual([])
  })

  it('has no test that is switched off', () => {
    for (const file of testFiles().filter(name => name !== 'statements.test.ts'))
      expect([file, /\.(skip|only|todo|fails|skipIf|runIf)\b/.exec(sourceOf(file))]).toEqual([file, null])
  })

  it('is shown as it is in test/conformance/README.md', () => {
    const run = 'npx tsx scripts/conformance-table.ts'
    expect(inRoot('test/conformance/README.md') === conformanceTable() ? 'up to date' : `out of date: ${run}`).toBe(
      'up to date',
    )
  })
})
