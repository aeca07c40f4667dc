/**
 * From where to where an axis goes: a little beyond what is drawn. A value that never changes stands in the middle of a
 * tenth of itself, where the library would show everything from nothing to twice as much.
 *
 * @param min the lowest value in view; null when there is none
 */
export function valueRange(min: number | null, max: number | null): [from: number, to: number] {
  if (min === null || max === null) return [0, 1]
  const room = min === max ? Math.max(Math.abs(min) / 20, 0.5) : (max - min) / 20
  // What is never negative does not begin below nothing.
  return [min >= 0 ? Math.max(0, min - room) : min - room, max + room]
}
