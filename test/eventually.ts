const LOOK_EVERY_MS = 50
const LONGEST_REST_MS = 1000
/** Longer than anything takes on a busy machine. */
const PATIENCE_MS = 100_000

/**
 * Repeats what fails until it succeeds. The last try begins after `limitMs`, so what is promised within that time is found
 * on a machine of any speed.
 * @throws what the last try threw
 */
export async function eventually<T>(what: () => Promise<T>, limitMs = PATIENCE_MS): Promise<T> {
  const deadlineMs = performance.now() + limitMs
  while (true) {
    const beginMs = performance.now()
    const isLast = beginMs >= deadlineMs
    try {
      return await what()
    } catch (error) {
      if (isLast) throw error
    }
    // Looking takes half of the time at most: who does what is waited for may need the same processor.
    const restMs = Math.min(Math.max(LOOK_EVERY_MS, performance.now() - beginMs), LONGEST_REST_MS)
    await new Promise(resolve => setTimeout(resolve, restMs))
  }
}
