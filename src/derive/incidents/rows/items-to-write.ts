import type { ItemStretch } from '../../fact.ts'
import type { DecidedItem } from '../../fold-part.ts'

/**
 * Which items of a stretch have to be written, where it is known that what followed from the samples before is stored as it was: then no
 * row need be read. Mostly there are none.
 * @returns undefined where that is not certain, or one of them is gone
 */
export function itemsToWrite({
  device,
  items,
  before,
}: Pick<ItemStretch, 'device' | 'items' | 'before'>): readonly DecidedItem[] | undefined {
  // Silence of the dongle, or another one in the car, may have changed its rows since.
  if (!before || !device.hasJustReported || device.othersUntilMs.size > 0) return undefined
  const toWrite: DecidedItem[] = []
  let countKnown = 0
  for (const item of items) {
    const known = before.find(({ key }) => key === item.key)
    if (known) countKnown++
    if (!known || !isSame(known, item)) toWrite.push(item)
  }
  return countKnown === before.length ? toWrite : undefined
}

function isSame(one: DecidedItem, other: DecidedItem): boolean {
  if (one === other) return true
  if (one.decidedMs !== other.decidedMs) return false
  for (const name in one.item) if (one.item[name] !== other.item[name]) return false
  return true
}
