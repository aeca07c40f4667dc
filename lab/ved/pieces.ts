/** From when to when a car was driven. */
interface Piece {
  readonly startMs: number
  readonly endMs: number
}

/** decisions.md, *Trips*: so long without data or without motion cuts a trip. */
const PAUSE_MS = 5 * 60_000

/**
 * The pieces of a recorded trip between which the car stood, or the recorder was silent, for five minutes and more.
 * @param motionMs when its rows tell of motion, ascending
 */
export function piecesOf({ startMs, endMs }: Piece, motionMs: readonly number[]): Piece[] {
  const pauses = motionMs.flatMap((timeMs, i) => {
    const nextMs = motionMs[i + 1] ?? timeMs
    return nextMs - timeMs >= PAUSE_MS ? [{ fromMs: timeMs, toMs: nextMs }] : []
  })
  const ends = [...pauses.map(({ fromMs }) => fromMs), endMs]
  return [startMs, ...pauses.map(({ toMs }) => toMs)].map((beginMs, i) => ({
    startMs: beginMs,
    endMs: ends[i] ?? endMs,
  }))
}
