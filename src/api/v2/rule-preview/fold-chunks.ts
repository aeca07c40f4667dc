import type { IncidentItem } from '../../../derive/incidents/derive/finding.ts'
import type { IncidentsRun } from '../../../derive/incidents/derive/incidents-run.ts'
import type { SampleCursor } from '../../../store/runs/sample-run.ts'

interface FoldedChunk {
  /** What was found in it. */
  readonly items: readonly IncidentItem[]
  readonly count: number
}

/** Folds samples chunk by chunk. */
export async function* foldChunks(run: IncidentsRun, chunks: AsyncIterable<SampleCursor>): AsyncGenerator<FoldedChunk> {
  for await (const samples of chunks) {
    const items: IncidentItem[] = []
    let count = 0
    for (let sample = samples.next(); sample; sample = samples.next()) {
      count++
      const done = run.step(sample)
      if (done.length > 0) items.push(...done)
    }
    yield { items, count }
  }
}
