import { type LonLat, rounded } from './shape.ts'

/** Points as people write and paste them: a line each, latitude first. An empty line begins the next ring. */
export function pointsText(lines: readonly (readonly LonLat[])[]): string {
  return lines.map(line => line.map(([longitude, latitude]) => `${latitude}, ${longitude}`).join('\n')).join('\n\n')
}

/** What was read of a text, or the first of its lines that is no point. */
type ReadPoints = { readonly lines: readonly (readonly LonLat[])[] } | { readonly wrongLine: string }

/** Reads such a text. Numbers may be apart by comma, semicolon or blanks. */
export function readPoints(text: string): ReadPoints {
  const lines: LonLat[][] = []
  let isNew = true
  for (const row of text.split('\n')) {
    if (row.trim() === '') {
      isNew = true
      continue
    }
    const numbers = row.split(/[,;\s]/).filter(part => part !== '')
    const isPoint = numbers.length === 2 && numbers.every(part => /^-?\d+(?:\.\d+)?$/.test(part))
    const [latitude, longitude] = isPoint ? numbers.map(Number) : []
    if (latitude === undefined || longitude === undefined || Math.abs(latitude) > 90 || Math.abs(longitude) > 180)
      return { wrongLine: row.trim() }
    if (isNew) lines.push([])
    isNew = false
    lines.at(-1)?.push([rounded(longitude), rounded(latitude)])
  }
  return { lines }
}

/** Rings as they are written: without the last point, which is the first again. */
export function openRings(rings: readonly (readonly LonLat[])[]): readonly (readonly LonLat[])[] {
  return rings.map(ring => ring.slice(0, -1))
}

/** The same closed. */
export function closedRings(rings: readonly (readonly LonLat[])[]): readonly (readonly LonLat[])[] {
  return rings.map(ring => {
    const [first, last] = [ring[0], ring.at(-1)]
    const isClosed = ring.length > 1 && first?.[0] === last?.[0] && first?.[1] === last?.[1]
    return first && !isClosed ? [...ring, first] : ring
  })
}
