/** From when to when something lasted, in milliseconds since 1970. */
export interface Span {
  readonly startMs: number
  readonly endMs: number
}

/**
 * Spans that hang together, because each overlaps one before it; whatever overlaps depends on nothing outside of its
 * stretch. Ends that only touch are apart.
 * @returns the spans of each stretch by start, the stretches by time
 */
export function stretchesOf<Item extends Span>(items: readonly Item[]): Item[][] {
  const stretches: Item[][] = []
  let stretch: Item[] = []
  let endMs = Number.POSITIVE_INFINITY
  for (const item of [...items].sort((a, b) => a.startMs - b.startMs || a.endMs - b.endMs)) {
    if (stretch.length === 0 || item.startMs >= endMs) {
      stretch = []
      stretches.push(stretch)
      endMs = item.endMs
    }
    stretch.push(item)
    endMs = Math.max(endMs, item.endMs)
  }
  return stretches
}
