import { readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Registry } from 'prom-client'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { parse } from 'yaml'
import { startService, type TestService } from './service.ts'

/* What operators load into Prometheus and Grafana names metrics that a running service has. */

interface Known {
  readonly type: string
  readonly help: string
  readonly labels: readonly string[]
}

interface Rule {
  readonly alert: string
  readonly expr: string
  readonly for?: string
  readonly labels?: { readonly severity?: string }
  readonly annotations?: { readonly summary?: string; readonly action?: string }
}

/** By Prometheus and the registry, on every series. */
const ADDED_LABELS = ['instance', 'job', 'role']

const textOf = (path: string) => readFile(fileURLToPath(new URL(`../${path}`, import.meta.url)), 'utf8')
const rules: Rule[] = parse(await textOf('deploy/prometheus/tacho-alerts.yml')).groups.flatMap(
  (group: { readonly rules: readonly Rule[] }) => group.rules,
)
const dashboard = JSON.parse(await textOf('deploy/grafana/tacho.json'))
const panels: readonly { readonly title: string; readonly targets?: readonly { readonly expr: string }[] }[] =
  dashboard.panels
const watchPage = await textOf('docs/operation/watch.md')

let service: TestService
/** By name: everything that `/metrics` shows, with the labels that it may have. */
let known: ReadonlyMap<string, Known>
beforeAll(async () => {
  const registered = vi.spyOn(Registry.prototype, 'registerMetric')
  // There is neither a broker nor a backup: their metrics are there nevertheless.
  service = await startService({ MQTT_URL: 'mqtt://127.0.0.1:1', BACKUP_DIR: join(tmpdir(), 'tacho-no-backups') })
  const labelsOf = new Map(
    registered.mock.calls.map(([metric]) => {
      const { name, labelNames = [] } = metric as unknown as { name: string; labelNames?: readonly string[] }
      return [name, labelNames]
    }),
  )
  registered.mockRestore()
  const text = await (await fetch(`${service.url}/metrics`)).text()
  const types = new Map([...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name = '', type = '']) => [name, type]))
  const helps = [...text.matchAll(/^# HELP (\S+) (.*)$/gm)]
  known = new Map(
    helps.map(([, name = '', help = '']) => [
      name,
      { type: types.get(name) ?? '', help, labels: labelsOf.get(name) ?? [] },
    ]),
  )
})
afterAll(() => service.stop())

/** The metrics of an expression, each with the labels that it is chosen, or grouped, by. */
function metricsIn(expression: string): { readonly name: string; readonly labels: readonly string[] }[] {
  const grouped = [...expression.matchAll(/\bby \(([^)]*)\)/g)].flatMap(([, list = '']) => list.split(/\s*,\s*/))
  return [...expression.matchAll(/\b(tacho_\w+)(?:\{([^}]*)\})?/g)].map(([, name = '', selector = '']) => ({
    name,
    labels: [...grouped, ...[...selector.matchAll(/(\w+)\s*(?:=~|!~|!=|=)/g)].map(([, label = '']) => label)],
  }))
}

/** What of an expression no service has. */
function unknownIn(expression: string): string[] {
  return metricsIn(expression).flatMap(({ name, labels }) => {
    const metric = known.get(name) ?? known.get(name.replace(/_(bucket|count|sum)$/, ''))
    if (!metric) return [name]
    const allowed = [...metric.labels, ...ADDED_LABELS, ...(name.endsWith('_bucket') ? ['le'] : [])]
    return labels.filter(label => !allowed.includes(label)).map(label => `${name}{${label}}`)
  })
}

describe('alert rules', () => {
  it('name metrics and labels that a service has', () => {
    expect(rules.length).toBeGreaterThan(15)
    expect(rules.flatMap(({ expr }) => unknownIn(expr))).toEqual([])
    const withoutMetric = rules.filter(({ expr }) => metricsIn(expr).length === 0).map(({ alert }) => alert)
    expect(withoutMetric).toEqual(['TachoDown'])
  })

  it('say what is wrong, what to do, after how long, and whether somebody is woken', () => {
    for (const { alert, for: after, labels, annotations } of rules) {
      expect([alert, after]).toEqual([alert, expect.stringMatching(/^\d+[smh]$/)])
      expect([alert, labels?.severity]).toEqual([alert, expect.stringMatching(/^(page|ticket)$/)])
      for (const text of [annotations?.summary, annotations?.action])
        expect([alert, text]).toEqual([alert, expect.stringMatching(/\S.{15,}\.$/)])
    }
    expect(new Set(rules.map(({ alert }) => alert)).size).toBe(rules.length)
  })

  it('are the ones that docs/operation/watch.md explains', () => {
    const explained = [...watchPage.matchAll(/^\| `(Tacho\w+)` \|/gm)].map(([, name]) => name)
    expect(explained).toEqual(rules.map(({ alert }) => alert))
  })
})

describe('the dashboard', () => {
  it('names metrics and labels that a service has', () => {
    const expressions = panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr))
    expect(expressions.length).toBeGreaterThan(30)
    expect(expressions.flatMap(unknownIn)).toEqual([])
    expect(expressions.filter(expression => metricsIn(expression).length === 0)).toEqual([])
  })

  it('has panels with different names, and nothing of the machine that it was made on', () => {
    const titles = panels.map(({ title }) => title)
    expect(new Set(titles).size).toBe(titles.length)
    const sources = [...JSON.stringify(dashboard).matchAll(/"uid":"([^"]*)"/g)].map(([, uid]) => uid)
    expect(new Set(sources)).toEqual(new Set(['tacho', '${datasource}']))
  })
})

/** A metric of every service has a name of its own; those of Node and the process are documented by their client. */
const isOurs = (name: string) => !/^tacho_(nodejs|process)_/.test(name)

it('docs/operation/metrics.md lists every metric as it is; `-u` writes it', async () => {
  const rows = [...known]
    .filter(([name]) => isOurs(name))
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, { type, help, labels }]) => {
      const named = labels.map(label => `\`${label}\``).join(', ')
      return `| \`${name}\` | ${type} | ${named} | ${help} |`
    })
  await expect(
    `# Metrics

What \`/metrics\` shows, besides what the client library tells of Node and of the process (\`tacho_nodejs_…\`, \`tacho_process_…\`).
Every series has the label \`role\`: \`api\` or \`intake\`, the process that counts it. [watch.md](watch.md) says which of them to
watch. Those of backups are there with \`BACKUP_DIR\`, those of MQTT with \`MQTT_URL\`, those of the disk where the database is
on the same machine.

| metric | type | labels | what it is |
| --- | --- | --- | --- |
${rows.join('\n')}
`,
  ).toMatchFileSnapshot('../docs/operation/metrics.md')
})
