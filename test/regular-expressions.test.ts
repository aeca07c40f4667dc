import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { check } from 'recheck'
import { parseSync, Visitor } from 'vite'
import { expect, test } from 'vitest'

/** A regular expression as it stands in a file. */
interface Expression {
  readonly where: string
  readonly pattern: string
  readonly flags: string
}

const ROOT = fileURLToPath(new URL('../', import.meta.url))

const files = ['src', 'console/src'].flatMap(folder =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter(name => /\.tsx?$/.test(name) && !/\.test\.tsx?$/.test(name))
    .map(name => join(folder, name)),
)

function expressionsIn(file: string): { readonly found: Expression[]; readonly made: string[] } {
  const source = readFileSync(join(ROOT, file), 'utf8')
  const found: Expression[] = []
  const made: string[] = []
  const whereOf = (start: number) => `${file}:${source.slice(0, start).split('\n').length}`
  const makes = (start: number) => {
    if (/^(?:new )?RegExp\b/.test(source.slice(start, start + 20))) made.push(whereOf(start))
  }
  new Visitor({
    Literal(node) {
      if ('regex' in node) found.push({ where: whereOf(node.start), ...node.regex })
    },
    NewExpression: ({ start }) => makes(start),
    CallExpression: ({ start }) => makes(start),
  }).visit(parseSync(file, source).program)
  return { found, made }
}

const expressions = files.map(expressionsIn)

// Any text may come from outside one day: whoever can send it could hold a process for minutes with 50 kB.
test('no regular expression takes more than linear time, whatever it reads', { timeout: 300_000 }, async () => {
  const all = expressions.flatMap(({ found }) => found)
  expect(all.length).toBeGreaterThan(100)
  const slow: string[] = []
  const different = new Map(all.map(expression => [`/${expression.pattern}/${expression.flags}`, expression]))
  for (const { where, pattern, flags } of different.values()) {
    const judged = await check(pattern, flags, { timeout: 250_000 })
    const why = judged.status === 'vulnerable' ? judged.complexity.summary : judged.status
    if (judged.status !== 'safe') slow.push(`${where} /${pattern}/${flags}: ${why}`)
  }
  expect(slow).toEqual([])
})

test('every regular expression is a literal, so that the test above sees it', () => {
  expect(expressions.flatMap(({ made }) => made)).toEqual([])
})
