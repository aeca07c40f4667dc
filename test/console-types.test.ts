import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { CONSOLE_TYPES_FILE, consoleTypes } from '../scripts/console-types.ts'

test('the console is compiled against the present OpenAPI document; else run `npm run console-types`', async () => {
  expect(await readFile(CONSOLE_TYPES_FILE, 'utf8')).toBe(await consoleTypes())
})
