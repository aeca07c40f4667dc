import type { Lines } from './read-lines.ts'

/** A stretch of a line, with a box around it in steps of the grid. */
export interface Piece extends Box {
  /** Its points are those from `start` to `end`, both included. */
  readonly start: number
  readonly end: number
}

export interface Box {
  readonly west: number
  readonly east: number
  readonly south: number
  readonly north: number
}

/** Lines along oceans have tens of thousands of points; of pieces nearly all can be left out by their boxes. */
const SEGMENTS_OF_PIECE = 64

/** The pieces of each line. */
export function piecesOfLines({ xs, ys, starts }: Lines): Piece[][] {
  return Array.from({ length: starts.length - 1 }, (_, line) => {
    const last = (starts[line + 1] ?? 0) - 1
    const pieces: Piece[] = []
    for (let start = starts[line] ?? 0; start < last; start += SEGMENTS_OF_PIECE) {
      const end = Math.min(start + SEGMENTS_OF_PIECE, last)
      pieces.push({ start, end, ...boxOfPoints(xs, ys, start, end) })
    }
    return pieces
  })
}

function boxOfPoints(xs: Int32Array, ys: Int32Array, start: number, end: number): Box {
  let west = Number.POSITIVE_INFINITY
  let east = Number.NEGATIVE_INFINITY
  let south = west
  let north = east
  for (let i = start; i <= end; i++) {
    const x = xs[i] ?? 0
    const y = ys[i] ?? 0
    if (x < west) west = x
    if (x > east) east = x
    if (y < south) south = y
    if (y > north) north = y
  }
  return { west, east, south, north }
}

/** A box around several. */
export function boxAround(boxes: readonly Box[]): Box {
  return boxes.reduce((a, b) => ({
    west: Math.min(a.west, b.west),
    east: Math.max(a.east, b.east),
    south: Math.min(a.south, b.south),
    north: Math.max(a.north, b.north),
  }))
}

/** Whether a point is in the box, or no farther from it than the margins. */
export function isAround({ west, east, south, north }: Box, x: number, y: number, marginX = 0, marginY = 0): boolean {
  return x >= west - marginX && x <= east + marginX && y >= south - marginY && y <= north + marginY
}
