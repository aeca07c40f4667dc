import { AggregatorRegistry, Gauge, Histogram, Registry } from 'prom-client'
import { expect, test } from 'vitest'
import { readMetrics, writeMetrics } from './health.ts'

test('metrics of one process reach the other as they are, infinite ones too', async () => {
  const registry = new Registry()
  registry.setDefaultLabels({ role: 'intake' })
  const [age, lag] = ['age', 'lag'].map(name => new Gauge({ name, help: name, registers: [registry] }))
  age?.set(Number.POSITIVE_INFINITY)
  lag?.set(1.5)
  new Histogram({ name: 'took', help: 'took', buckets: [1, 2], registers: [registry] }).observe(1.5)
  const text = writeMetrics(await registry.getMetricsAsJSON())
  const shown = await AggregatorRegistry.aggregate([readMetrics(text)]).metrics()
  expect(shown).toContain('age{role="intake"} +Inf')
  expect(shown).toContain('lag{role="intake"} 1.5')
  expect(shown).toContain('took_bucket{le="+Inf",role="intake"} 1')
})
