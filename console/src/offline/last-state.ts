import { queryClient } from '../api/query-client.ts'
import type { Device, Vehicle } from '../api/types.ts'
import { devicesQuery, vehiclesQuery } from '../fleet/fleet-queries.ts'
import { liveState, onLiveState, setKnownSince } from '../live/live-state.ts'
import { onTokens, tokens } from '../session/tokens.ts'
import { sessionQuery } from '../session/use-session.ts'
import { forgetAll, keep, read } from './kept-record.ts'

/** The fleet as this browser knew it last, of one login. */
interface LastState {
  readonly loginId: string
  readonly knownMs: number
  readonly session: unknown
  readonly vehicles: ReadonlyMap<string, Vehicle>
  readonly devices: ReadonlyMap<number, Device> | undefined
}

const KEEP_EVERY_MS = 5 * 60_000
const FIRST_MS = 10_000

/**
 * Keeps what the fleet was like, in this browser, and shows it when the console is opened while the service does not answer.
 * Logging out removes it.
 *
 * @returns what ends that
 */
export function startLastState(): () => void {
  const keepHidden = () => {
    if (document.visibilityState === 'hidden') void keepNow()
  }
  const first = setTimeout(() => void keepNow(), FIRST_MS)
  const timer = setInterval(() => void keepNow(), KEEP_EVERY_MS)
  document.addEventListener('visibilitychange', keepHidden)
  const stopListening = onLiveState(() => {
    if (liveState() === 'away') void show()
  })
  return () => {
    clearTimeout(first)
    clearInterval(timer)
    document.removeEventListener('visibilitychange', keepHidden)
    stopListening()
  }
}

// Also when the logout was in another tab, or the session ended by itself.
onTokens(() => {
  if (!tokens()) void forgetAll().catch(ignore)
})

async function keepNow(): Promise<void> {
  const loginId = tokens()?.loginId
  const vehicles = queryClient.getQueryData(vehiclesQuery.queryKey)
  const session = queryClient.getQueryData(sessionQuery.queryKey)
  if (liveState() !== 'live' || loginId === undefined || !vehicles || !session) return
  const devices = queryClient.getQueryData(devicesQuery.queryKey)
  const state: LastState = { loginId, knownMs: Date.now(), session, vehicles, devices }
  await keep(state).catch(ignore)
}

async function show(): Promise<void> {
  if (queryClient.getQueryData(vehiclesQuery.queryKey)) return
  const state = (await read().catch(ignore)) as LastState | undefined
  if (!state || state.loginId !== tokens()?.loginId || liveState() !== 'away') return
  const options = { updatedAt: state.knownMs }
  queryClient.setQueryData(sessionQuery.queryKey, state.session as never, options)
  queryClient.setQueryData(vehiclesQuery.queryKey, state.vehicles, options)
  if (state.devices) queryClient.setQueryData(devicesQuery.queryKey, state.devices, options)
  setKnownSince(state.knownMs)
}

/** Browsers may keep nothing, as in private windows: then there is nothing to show. */
function ignore(): undefined {
  return undefined
}
