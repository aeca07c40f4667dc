import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'

const inRoot = (path: string) => fileURLToPath(new URL(`../${path}`, import.meta.url))
const text = await readFile(inRoot('docs/how-to-add.md'), 'utf8')

/** In code spans; `<name>` stands for what is added, so such a file is not there yet. */
const named = [...text.matchAll(/`((?:src|test|docs|migrations|console|scripts|bench)\/[^`\s]*)`/g)]
  .map(([, path = '']) => path)
  .filter(path => !path.includes('<'))

it('docs/how-to-add.md names files and folders that are there', () => {
  expect(named.length).toBeGreaterThan(10)
  expect(named.filter(path => !existsSync(inRoot(path)))).toEqual([])
})
