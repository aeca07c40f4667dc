import { useSyncExternalStore } from 'react'

/** `away`: the service does not answer at the moment. */
export type LiveState = 'connecting' | 'live' | 'away'

/** Data is shown without the stream if that does not come up in this time. */
const PATIENCE_MS = 1500

const listeners = new Set<() => void>()
let state: LiveState = 'connecting'
let becomesLive = Promise.withResolvers<void>()

export function useLiveState(): LiveState {
  return useSyncExternalStore(
    listener => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => state,
  )
}

export function setLiveState(changed: LiveState): void {
  if (changed === 'live') becomesLive.resolve()
  else if (state === 'live') becomesLive = Promise.withResolvers()
  state = changed
  for (const listener of listeners) listener()
}

/**
 * Waits until the stream has begun, so that a list fetched afterwards and the stream together miss nothing; or for a
 * moment, if it does not begin.
 */
export function whenLive(): Promise<void> {
  return Promise.race([becomesLive.promise, new Promise<void>(resolve => setTimeout(resolve, PATIENCE_MS))])
}
