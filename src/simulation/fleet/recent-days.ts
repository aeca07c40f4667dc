/**
 * Remembers what was made of the last days of each thing: who asks for slices of time asks for the same day again and again.
 */
export function recentDays<Made>(count: number): (of: object, day: number, make: () => Made) => Made {
  const remembered = new WeakMap<object, readonly { readonly day: number; readonly made: Made }[]>()
  return (of, day, make) => {
    const known = remembered.get(of) ?? []
    const hit = known.find(entry => entry.day === day)
    if (hit) return hit.made
    const made = make()
    remembered.set(of, [{ day, made }, ...known.slice(0, count - 1)])
    return made
  }
}
