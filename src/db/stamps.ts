/** Microseconds since 1970 of a stamp `YYYY-MM-DDTHH:MM:SS.ffffffZ`; exact until the year 2255. */
export function stampUs(stamp: string): number {
  return Date.parse(`${stamp.slice(0, 23)}Z`) * 1000 + Number(stamp.slice(23, 26))
}

/** The stamp of a number of microseconds since 1970. */
export function stampOfUs(us: number): string {
  const ms = Math.floor(us / 1000)
  if (ms !== written.ms) written = { ms, text: new Date(ms).toISOString().slice(0, -1) }
  return `${written.text}${String(us - ms * 1000).padStart(3, '0')}Z`
}

/** The millisecond written last: most stamps are of the same one as the stamp before. */
let written = { ms: 0, text: '1970-01-01T00:00:00.000' }

/** The stamp `offset` microseconds after `first`, in the same form. */
export function stampAfter(first: string, offset: number): string {
  return stampOfUs(stampUs(first) + offset)
}
