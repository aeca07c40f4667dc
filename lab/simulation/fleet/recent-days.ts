/** A day of a dongle with faults takes megabytes, and a fleet of ten thousand shall fit into memory. */
const MOST_THINGS = 32

/** Remembers the last days of each thing: slices of time ask for the same day again and again. */
export function recentDays<Made>(count: number): (of: object, day: number, make: () => Made) => Made {
  const remembered = new Map<object, readonly { readonly day: number; readonly made: Made }[]>()
  return (of, day, make) => {
    const known = remembered.get(of) ?? []
    // What was asked for last comes last.
    remembered.delete(of)
    const hit = known.find(entry => entry.day === day)
    const made = hit ? hit.made : make()
    remembered.set(of, hit ? known : [{ day, made }, ...known.slice(0, count - 1)])
    const [oldest] = remembered.size > MOST_THINGS ? remembered.keys() : []
    if (oldest) remembered.delete(oldest)
    return made
  }
}

/** Kept while memory is not needed for other things: of ten thousand cars most are parked. */
export function forgettable<T extends object>(make: () => T): () => T {
  let kept: WeakRef<T> | undefined
  return () => {
    const known = kept?.deref()
    if (known) return known
    const made = make()
    kept = new WeakRef(made)
    return made
  }
}
