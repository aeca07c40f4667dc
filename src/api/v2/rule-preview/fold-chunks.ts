import type { IncidentItem } from '../../../facts/incidents/derive/finding.ts'
import type { IncidentsState, incidentsPart } from '../../../facts/incidents/derive/incidents-part.ts'
import type { Sample } from '../../../model/sample.ts'

interface FoldedChunk {
  /** What follows from it and all before it. */
  readonly state: IncidentsState
  /** What was found in it. */
  readonly items: readonly IncidentItem[]
  readonly count: number
}

/** Folds samples chunk by chunk, from a state on. */
export async function* foldChunks(
  part: ReturnType<typeof incidentsPart>,
  from: IncidentsState,
  chunks: AsyncIterable<readonly Sample[]>,
): AsyncGenerator<FoldedChunk> {
  let state = from
  for await (const samples of chunks) {
    const items: IncidentItem[] = []
    for (const sample of samples) {
      const stepped = part.step(state, sample)
      state = stepped.state
      if (stepped.done.length > 0) items.push(...stepped.done)
    }
    yield { state, items, count: samples.length }
  }
}
