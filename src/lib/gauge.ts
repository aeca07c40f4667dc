import { Gauge, type Registry } from 'prom-client'

/** Adds a gauge to the metrics whose value is read when they are. */
export function addGauge(registry: Registry, name: string, help: string, read: () => number): void {
  registry.registerMetric(
    new Gauge({
      name,
      help,
      registers: [],
      collect() {
        this.set(read())
      },
    }),
  )
}
