const PAUSE_MS = 1000

/**
 * Loads the code of a page, with retries while the service does not answer: it recovers by itself, like everything else.
 * Code that is not there although the service answers is of a console that has been replaced; the router reloads that.
 */
export function persistently<T>(load: () => Promise<T>): () => Promise<T> {
  return async () => {
    for (let isAnswered = false; ; ) {
      try {
        return await load()
      } catch (error) {
        // The service may have come back since, so that counts from the next time on.
        if (isAnswered) throw error
        isAnswered = await isReachable()
        if (!isAnswered) await new Promise(resolve => setTimeout(resolve, PAUSE_MS))
      }
    }
  }
}

function isReachable(): Promise<boolean> {
  return fetch('/console/settings', { cache: 'no-store' }).then(
    () => true,
    () => false,
  )
}
