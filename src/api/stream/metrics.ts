import { Counter, Gauge, type Registry } from 'prom-client'

/** Metrics of streams. */
export interface StreamMetrics {
  readonly countFrame: () => void
  readonly countDropped: () => void
}

/** @param countOpen how many streams are open now */
export function streamMetrics(registry: Registry, countOpen: () => number): StreamMetrics {
  const frames = new Counter({
    name: 'tacho_stream_frames_total',
    help: 'Frames sent to all streams, heartbeats included.',
    registers: [registry],
  })
  const dropped = new Counter({
    name: 'tacho_streams_dropped_total',
    help: 'Streams that were closed because their client took nothing any more.',
    registers: [registry],
  })
  registry.registerMetric(
    new Gauge({
      name: 'tacho_streams_open',
      help: 'Streams that are open.',
      registers: [],
      collect() {
        this.set(countOpen())
      },
    }),
  )
  return { countFrame: () => frames.inc(), countDropped: () => dropped.inc() }
}
