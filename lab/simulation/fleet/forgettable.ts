/**
 * Something large that can be made again: it is kept while memory is not needed for other things. Of ten thousand cars most are
 * parked, and their drives of the day need not be known second by second.
 */
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
