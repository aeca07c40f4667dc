/** Weeks without rows are read together, so many at most. */
const LONGEST_STRETCH_WEEKS = 13

/** How many weeks to read at once after so many without rows. */
export function longerStretch(weeks: number): number {
  return Math.min(weeks * 2, LONGEST_STRETCH_WEEKS)
}

/** `samples_2026_11_16`: the table of the week that begins on that day. */
export function partitionName(startMs: number): string {
  return `samples_${new Date(startMs).toISOString().slice(0, 10).replaceAll('-', '_')}`
}

/** @returns undefined for a table that is not a week of samples. */
export function partitionStartMs(name: string): number | undefined {
  const day = /^samples_(\d{4})_(\d{2})_(\d{2})$/.exec(name)
  return day ? Date.UTC(Number(day[1]), Number(day[2]) - 1, Number(day[3])) : undefined
}
