import type { Logger } from 'pino'
import { isSupervised } from './messages.ts'

/** A terminal sends Ctrl-C to every process, and npm forwards it as well: signals this close together are one request. */
const SAME_WISH_MS = 1000

/**
 * Listens for requests to stop: SIGTERM, SIGINT, SIGHUP, and for a child the end of its supervisor. A second one ends the
 * process at once with code 1, and so does a stop that takes longer than `limitMs`.
 */
export function awaitStop(log: Logger, limitMs?: number): AbortSignal {
  const controller = new AbortController()
  let firstAt = 0
  const request = (cause: string) => {
    if (!firstAt) {
      firstAt = Date.now()
      log.info({ cause }, 'stopping')
      if (limitMs !== undefined) setTimeout(() => giveUp(`not stopped after ${limitMs / 1000} s`), limitMs).unref()
      controller.abort()
    } else if (cause !== 'disconnect' && Date.now() - firstAt > SAME_WISH_MS) giveUp(`a second ${cause}`)
  }
  const giveUp = (why: string) => {
    log.error(`${why}: ended at once`)
    process.exit(1)
  }
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => request(signal))
  process.on('disconnect', () => request('disconnect'))
  // The supervisor was gone before we listened.
  if (isSupervised() && !process.connected) request('disconnect')
  return controller.signal
}

/** Resolves when `signal` aborts. */
export function aborted(signal: AbortSignal): Promise<void> {
  return new Promise(resolve => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })
}
