import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { SETTINGS } from '../src/settings.ts'

const inRoot = (path: string) => fileURLToPath(new URL(`../${path}`, import.meta.url))
const text = await readFile(inRoot('docs/security.md'), 'utf8')

it('docs/security.md names tests that are there', () => {
  const named = text.match(/\b(?:src|test|console)\/[\w./-]+\.test\.ts/g) ?? []
  expect(named.length).toBeGreaterThan(50)
  expect(named.filter(path => !existsSync(inRoot(path)))).toEqual([])
})

it('docs/security.md names settings that are there', () => {
  const settings = new Set<string>(Object.values(SETTINGS).map(({ name }) => name))
  const named = [...text.matchAll(/`([A-Z][A-Z_]*_[A-Z_]+)(?:=\w+)?`/g)].map(([, name = '']) => name)
  expect(named.length).toBeGreaterThan(20)
  expect(named.filter(name => !settings.has(name))).toEqual([])
})

it('docs/security.md links to pages that are there', () => {
  const links = [...text.matchAll(/\]\(([^)#]+)(?:#[^)]*)?\)/g)].map(([, path = '']) => path)
  expect(links.filter(path => !existsSync(inRoot(`docs/${path}`)))).toEqual([])
})
