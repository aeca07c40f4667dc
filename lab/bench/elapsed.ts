/** How long the work takes, in milliseconds. */
export async function elapsedMs(work: () => unknown): Promise<number> {
  const startMs = performance.now()
  await work()
  return performance.now() - startMs
}
