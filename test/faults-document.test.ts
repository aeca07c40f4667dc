import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { SETTINGS } from '../src/settings.ts'

const inRoot = (path: string) => fileURLToPath(new URL(`../${path}`, import.meta.url))
const textOf = (path: string) => readFile(inRoot(path), 'utf8')
const text = await textOf('docs/operation/faults.md')

describe('docs/operation/faults.md', () => {
  it('names tests that are there', () => {
    const named = text.match(/\b(?:src|test|console)\/[\w./-]+\.ts/g) ?? []
    expect(named.length).toBeGreaterThan(30)
    expect(named.filter(path => !existsSync(inRoot(path)))).toEqual([])
  })

  it('names settings that are there', () => {
    const settings = new Set<string>(Object.values(SETTINGS).map(({ name }) => name))
    const named = [...text.matchAll(/`([A-Z][A-Z_]*_[A-Z_]+)`/g)].map(([, name = '']) => name)
    expect(named.length).toBeGreaterThan(3)
    expect(named.filter(name => !settings.has(name))).toEqual([])
  })

  it('names alerts that are there, and metrics that are listed', async () => {
    const { groups } = parse(await textOf('deploy/prometheus/tacho-alerts.yml')) as {
      groups: { rules: { alert: string }[] }[]
    }
    const alerts = groups.flatMap(({ rules }) => rules.map(({ alert }) => alert))
    const named = [...text.matchAll(/`(Tacho[A-Z]\w+)`/g)].map(([, alert]) => alert)
    expect(named.length).toBeGreaterThan(5)
    expect(named.filter(alert => !alerts.includes(alert ?? ''))).toEqual([])
    const metrics = await textOf('docs/operation/metrics.md')
    expect((text.match(/\btacho_\w+/g) ?? []).filter(metric => !metrics.includes(metric))).toEqual([])
  })

  it('is linked to, and links to pages that are there', async () => {
    for (const [page, folder] of [
      ['docs/operation/faults.md', 'docs/operation/'],
      ['docs/operation/watch.md', 'docs/operation/'],
    ] as const) {
      const links = [...(await textOf(page)).matchAll(/\]\(([^)#]+)(?:#[^)]*)?\)/g)].map(([, path = '']) => path)
      expect(links.length).toBeGreaterThan(1)
      expect(links.filter(path => !existsSync(inRoot(folder + path)))).toEqual([])
    }
  })
})
