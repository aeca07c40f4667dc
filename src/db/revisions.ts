/** Microseconds since 1970 of a revision `YYYY-MM-DDTHH:MM:SS.ffffffZ`; exact until the year 2255. */
export function revisionUs(revision: string): number {
  return Date.parse(`${revision.slice(0, 23)}Z`) * 1000 + Number(revision.slice(23, 26))
}

/** The revision of a number of microseconds since 1970. */
export function timestampOfUs(us: number): string {
  const ms = Math.floor(us / 1000)
  return `${new Date(ms).toISOString().slice(0, -1)}${String(us - ms * 1000).padStart(3, '0')}Z`
}

/** The revision `offset` microseconds after `first`, in the same form. */
export function revisionAfter(first: string, offset: number): string {
  return timestampOfUs(revisionUs(first) + offset)
}
