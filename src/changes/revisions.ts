/** Microseconds since 1970 of a revision `YYYY-MM-DDTHH:MM:SS.ffffffZ`; exact until the year 2255. */
export function revisionUs(revision: string): number {
  if (revision !== read.revision) {
    const us = Date.parse(`${revision.slice(0, 23)}Z`) * 1000 + Number(revision.slice(23, 26))
    read = { revision, us }
  }
  return read.us
}

/** The last revision that was read: those of many rows are counted from the first one. */
let read = { revision: '1970-01-01T00:00:00.000000Z', us: 0 }

/** The revision of a number of microseconds since 1970. */
export function timestampOfUs(us: number): string {
  const ms = Math.floor(us / 1000)
  if (ms !== written.ms) written = { ms, text: new Date(ms).toISOString().slice(0, -1) }
  return `${written.text}${String(us - ms * 1000).padStart(3, '0')}Z`
}

/** The last millisecond that was formatted: most revisions share it with the previous one. */
let written = { ms: 0, text: '1970-01-01T00:00:00.000' }

/** The revision `offset` microseconds after `first`, in the same form. */
export function revisionAfter(first: string, offset: number): string {
  return timestampOfUs(revisionUs(first) + offset)
}
