import { type EventTypeId, eventTypeById } from '../../catalogue/event-types.ts'
import type { ByteReader } from './bytes.ts'
import { skipNumbers } from './number-column.ts'
import type { SealedLayout } from './sealed-body.ts'
import { skipTexts } from './text-column.ts'

/** Where the values of a type begin, and how many numbers each has. */
export interface Section {
  readonly at: number
  readonly width: number
}

/** The layouts that the samples of a body have. */
export function readLayouts(reader: ByteReader): SealedLayout[] {
  return Array.from({ length: reader.whole() }, () => {
    const id = reader.whole()
    let type = 0
    const types = Array.from({ length: reader.whole() }, () => eventTypeById((type += reader.whole())).id)
    return { id, types }
  })
}

/** Where the columns of each type stand, without unpacking any. */
export function readSections(reader: ByteReader): Map<EventTypeId, Section> {
  const sections = new Map<EventTypeId, Section>()
  for (let left = reader.whole(); left > 0; left--) {
    const { id } = eventTypeById(reader.whole())
    const width = reader.byte()
    sections.set(id, { at: reader.at, width })
    if (width === 0) skipTexts(reader)
    for (let part = 0; part < width; part++) skipNumbers(reader)
  }
  return sections
}

/** The places of the layouts that have a type. */
export function layoutsByType(layouts: readonly SealedLayout[]): Map<EventTypeId, number[]> {
  const having = new Map<EventTypeId, number[]>()
  for (const [place, { types }] of layouts.entries())
    for (const type of types) {
      const known = having.get(type)
      if (known) known.push(place)
      else having.set(type, [place])
    }
  return having
}
