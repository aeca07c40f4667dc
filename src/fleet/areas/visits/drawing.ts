import { type MeasuredShape, measuredShape } from '../../../model/areas/measured-shape.ts'
import type { AreaShape } from '../../../model/areas/shape.ts'
import { isIn, type TimeRange } from '../../../model/time-range.ts'

/** How an area was drawn, and while that held. */
export interface DrawnVersion extends TimeRange {
  readonly shape: AreaShape
}

/** The same, prepared to be measured. Versions never overlap. */
export interface Drawing {
  readonly versions: readonly (TimeRange & { readonly shape: MeasuredShape })[]
}

export function drawingOf(versions: readonly DrawnVersion[]): Drawing {
  return { versions: versions.map(({ shape, ...range }) => ({ ...range, shape: measuredShape(shape) })) }
}

/** What was drawn at an instant; undefined when nothing was. */
export function drawnAt({ versions }: Drawing, timeMs: number): MeasuredShape | undefined {
  return versions.find(version => isIn(version, timeMs))?.shape
}
