import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const SOURCES = fileURLToPath(new URL('../', import.meta.url))
const STYLES = fileURLToPath(new URL('../../../node_modules/@mantine/core/styles/', import.meta.url))

test('every component that is used has its styles', () => {
  const imported = readFileSync(join(SOURCES, 'shell', 'styles.ts'), 'utf8')
  const used = new Set<string>()
  for (const name of readdirSync(SOURCES, { recursive: true }).map(String)) {
    if (!name.endsWith('.tsx')) continue
    const text = readFileSync(join(SOURCES, name), 'utf8')
    for (const [, names = ''] of text.matchAll(/import \{([^}]*)\} from '@mantine\/core'/g))
      for (const word of names.match(/\b[A-Z]\w+/g) ?? []) used.add(word)
  }
  expect(used.size).toBeGreaterThan(20)
  const styled = [...used].filter(name => existsSync(join(STYLES, `${name}.css`)))
  expect(styled.filter(name => !imported.includes(`/${name}.css'`))).toEqual([])
})
