import { bareCopyText, bareCopyUs, meanOf } from './bare-copy.ts'
import { sendBodies } from './http-sender.ts'
import type { BenchResult } from './result.ts'
import type { RunningService } from './running-service.ts'
import { ingestBodies } from './sample-events.ts'
import { generateVedShape } from './ved-shape.ts'

const SAMPLES = 322_263
const CONNECTIONS = 16

/** HTTP ingest of batches of 1,000 events, committed, against a bare binary COPY of the same rows. */
export async function benchIngest(service: RunningService): Promise<BenchResult> {
  const samples = [...generateVedShape({ vehicles: 133, samples: SAMPLES, seed: 7 })].sort(
    (a, b) => a.timeMs - b.timeMs,
  )
  const { bodies, events } = ingestBodies(samples, 1000)
  const half = Math.floor(bodies.length / 2)
  // The first half warms everything up, partitions and devices included.
  await sendBodies(service, bodies.slice(0, half), CONNECTIONS)
  const beforeUs = await bareCopyUs(service, samples)
  const started = performance.now()
  await sendBodies(service, bodies.slice(half), CONNECTIONS)
  const seconds = (performance.now() - started) / 1000
  const copyUs = meanOf(beforeUs, await bareCopyUs(service, samples))
  const measuredPart = 1 - half / bodies.length
  const ingestPerS = (events * measuredPart) / seconds
  const sampleUs = (1e6 * seconds) / (samples.length * measuredPart)
  return {
    name: 'HTTP ingest',
    measured: `${Math.round(ingestPerS)} events/s in batches of 1,000 over ${CONNECTIONS} connections, ${sampleUs.toFixed(1)} µs a sample, committed`,
    against: bareCopyText(copyUs),
    ratio: copyUs / sampleUs,
    target: { atLeast: 0.1 },
    figures: { sampleUs, valuesEach: events / samples.length },
  }
}
