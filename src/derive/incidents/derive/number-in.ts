import type { EventType } from '../../../catalogue/event-types.ts'
import type { Sample, SampleLayout } from '../../../model/sample.ts'

/** The value of a NUMBER or BOOLEAN (0 or 1) in a sample; undefined if it was not measured. */
export function numberIn(
  { sample, layout }: { readonly sample: Sample; readonly layout: SampleLayout },
  type: EventType,
): number | undefined {
  const index = layout.indexOf(type)
  return index < 0 ? undefined : sample.numbers[index]
}
