import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { withConstantImports } from './constant-imports.ts'

test('what a module imports is a constant of it, in the same line', () => {
  const code = [
    "import standard, { one, two as second, 'a b' as third } from './a.js'",
    'import {',
    '  four,',
    "} from './b.js'",
    'throw new Error(standard(one, second, third, four))',
  ].join('\n')
  expect(withConstantImports(code).split('\n')).toEqual([
    "import imported_standard, { one as imported_one, two as imported_second, 'a b' as imported_third } from './a.js'; const standard = imported_standard, one = imported_one, second = imported_second, third = imported_third;",
    'import {',
    '  four as imported_four,',
    "} from './b.js'; const four = imported_four;",
    'throw new Error(standard(one, second, third, four))',
  ])
})

test('what has no name of its own, and what declares mocks, is left as it is', () => {
  const code =
    "import './a.js'\nimport * as all from './b.js'\nimport { vi } from 'vitest'\nexport { one } from './c.js'\nvi.mock('./d.js')"
  expect(withConstantImports(code)).toBe(code)
})

test('an error of a test says where it was thrown', () => {
  const [, thrownAt = ''] = (new Error('here').stack ?? '').split('\n')
  const lines = readFileSync(import.meta.filename, 'utf8').split('\n')
  expect(thrownAt).toContain(`constant-imports.test.ts:${lines.findIndex(line => line.includes("'here'")) + 1}:`)
})
