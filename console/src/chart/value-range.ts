/** Units of what is measured from nothing, not from where it happens to be. */
const FROM_NOTHING = new Set(['km/h', '1/min', 'l', 'l/h', 'kWh', 'Ah'])

/**
 * The range of an axis: a little beyond what is drawn. A value that never changes is in the middle of a
 * tenth of itself, where the library would show everything from nothing to twice as much.
 *
 * A share is of a whole, and what is measured from nothing begins there: a speed that falls by a tenth is not to look like a
 * car that stops.
 *
 * @param min the lowest value in view; null when there is none
 * @param unit as the API names it
 */
export function valueRange(min: number | null, max: number | null, unit = ''): [from: number, to: number] {
  if (unit === '%' && (min ?? 0) >= 0 && (max ?? 0) <= 100) return [0, 100]
  if (min === null || max === null) return [0, 1]
  if (FROM_NOTHING.has(unit) && min >= 0) return [0, max === 0 ? 1 : max * 1.05]
  const room = min === max ? Math.max(Math.abs(min) / 20, 0.5) : (max - min) / 20
  // What is never negative does not begin below nothing.
  return [min >= 0 ? Math.max(0, min - room) : min - room, max + room]
}
