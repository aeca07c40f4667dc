import type { EventTypeId } from '../../catalogue/event-types.ts'
import { numbersPerValue, type SampleLayout } from '../../model/sample.ts'

/** Event types whose numbers are read. In place of the others stands no number. */
export class WantedTypes {
  readonly #types: ReadonlySet<EventTypeId>
  readonly #numbers = new Map<SampleLayout, readonly boolean[]>()

  constructor(types: Iterable<EventTypeId>) {
    this.#types = new Set(types)
  }

  /** Of each number of a layout whether it is read. */
  numbersOf(layout: SampleLayout): readonly boolean[] {
    const known = this.#numbers.get(layout)
    if (known) return known
    const wanted = layout.slots.flatMap(({ type }) =>
      Array.from({ length: numbersPerValue(type) }, () => this.#types.has(type.id)),
    )
    this.#numbers.set(layout, wanted)
    return wanted
  }
}
