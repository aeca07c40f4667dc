const SHORTEST_REST_MS = 50
const USUAL_REST_MS = 200
const LONGEST_REST_MS = 1000
/** Longer than anything takes on a busy machine. */
const PATIENCE_MS = 100_000

/**
 * Repeats what fails until it succeeds. The last try begins after `limitMs`, so what is promised within that time is found
 * on a machine of any speed.
 * @throws what the last try threw
 */
export async function eventually<T>(what: () => Promise<T>, limitMs = PATIENCE_MS): Promise<T> {
  const beginMs = performance.now()
  while (true) {
    const lookMs = performance.now()
    const isLast = lookMs - beginMs >= limitMs
    try {
      return await what()
    } catch (error) {
      if (isLast) throw error
    }
    await new Promise(resolve => setTimeout(resolve, restMs(performance.now() - beginMs, performance.now() - lookMs)))
  }
}

/**
 * Who does what is waited for may need the same processor: looking takes half of the time at most, and what has taken long already is
 * looked for less often.
 */
function restMs(waitedMs: number, lookedMs: number): number {
  const usualMs = Math.min(Math.max(waitedMs, SHORTEST_REST_MS), USUAL_REST_MS)
  return Math.max(usualMs, Math.min(lookedMs, LONGEST_REST_MS))
}
