/** From when to when something lasted, in milliseconds since 1970. */
interface Span {
  readonly startMs: number
  readonly endMs: number
}

interface Match<Derived extends Span, Stored extends Span> {
  /** Every derived trip, with the row that it continues. */
  readonly kept: readonly { readonly trip: Derived; readonly row: Stored | undefined }[]
  /** Rows without a trip. */
  readonly retracted: readonly Stored[]
}

/**
 * Matches stored rows with refolded trips (decisions.md, *Trips*, identity): a merge keeps the row of the part that
 * starts first, a split keeps it for the part with the original start. So each trip, the earliest first, takes
 * the earliest free row that overlaps it.
 * @param trips none of them overlap, by start
 * @param rows none of them overlap, by start
 */
export function matchTrips<Derived extends Span, Stored extends Span>(
  trips: readonly Derived[],
  rows: readonly Stored[],
): Match<Derived, Stored> {
  const left = new Set(rows)
  const kept = trips.map(trip => {
    const row = rows.find(item => left.has(item) && item.startMs <= trip.endMs && trip.startMs <= item.endMs)
    if (row) left.delete(row)
    return { trip, row }
  })
  return { kept, retracted: [...left] }
}
