import { setImmediate as nextTurn } from 'node:timers/promises'

/** Lines with their points in columns, in steps of a grid. */
export interface Lines {
  readonly xs: Int32Array
  readonly ys: Int32Array
  /** Where each line begins, and at last where the last one ends. */
  readonly starts: Uint32Array
}

/** More than there are. */
const MOST_POINTS = 600_000
const MOST_LINES = 10_000
/** So many are read in a few milliseconds; in between others get their turn. */
const BYTES_A_TURN = 400_000

const OPEN = 0x5b
const CLOSE = 0x5d
const COMMA = 0x2c
const MINUS = 0x2d
const ZERO = 0x30
/** How many brackets are open within a point. */
const IN_POINT = 3
const IN_LINE = 2

/**
 * Reads the lines of a TopoJSON file: `[[[x,y],[dx,dy],…],…]`, whole numbers without blanks, each point in steps from the
 * one before it.
 */
export async function readLines(bytes: Uint8Array): Promise<Lines> {
  const xs = new Int32Array(MOST_POINTS)
  const ys = new Int32Array(MOST_POINTS)
  const starts = new Uint32Array(MOST_LINES)
  let [points, lines, depth, x, y, digits, sign] = [0, 0, 0, 0, 0, 0, 1]
  for (let i = 0; i < bytes.length; i++) {
    const byte = bytes[i] ?? 0
    if (byte >= ZERO) {
      if (byte === OPEN) {
        depth++
        if (depth === IN_LINE) [x, y] = [0, 0]
      } else if (byte === CLOSE) {
        if (depth === IN_POINT) {
          y += sign * digits
          xs[points] = x
          ys[points++] = y
          ;[digits, sign] = [0, 1]
        } else if (depth === IN_LINE) starts[++lines] = points
        depth--
      } else digits = digits * 10 + byte - ZERO
    } else if (byte === MINUS) sign = -1
    else if (byte === COMMA && depth === IN_POINT) {
      x += sign * digits
      ;[digits, sign] = [0, 1]
    }
    if (i % BYTES_A_TURN === 0) await nextTurn()
  }
  return { xs: xs.slice(0, points), ys: ys.slice(0, points), starts: starts.slice(0, lines + 1) }
}
