import { queryClient } from '../api/query-client.ts'
import { type Device, type Vehicle } from '../api/types.ts'
import { devicesQuery, vehiclesQuery } from '../fleet/use-cars.ts'
import { live } from '../live/live-state.ts'
import { tokens } from '../session/session.ts'
import { sessionQuery } from '../session/use-session.ts'

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
  const following = live.subscribe(({ stream }) => {
    if (stream === 'away') void show()
  })
  return () => {
    clearTimeout(first)
    clearInterval(timer)
    document.removeEventListener('visibilitychange', keepHidden)
    following.unsubscribe()
  }
}

// Also when the logout was in another tab, or the session ended by itself.
tokens.subscribe(given => {
  if (!given) void within('readwrite', store => store.clear()).catch(ignore)
})

async function keepNow(): Promise<void> {
  const loginId = tokens.get()?.loginId
  const vehicles = queryClient.getQueryData(vehiclesQuery.queryKey)
  const session = queryClient.getQueryData(sessionQuery.queryKey)
  if (live.get().stream !== 'live' || loginId === undefined || !vehicles || !session) return
  const devices = queryClient.getQueryData(devicesQuery.queryKey)
  const state: LastState = { loginId, knownMs: Date.now(), session, vehicles, devices }
  await within('readwrite', store => store.put(state, KEY)).catch(ignore)
}

async function show(): Promise<void> {
  if (queryClient.getQueryData(vehiclesQuery.queryKey)) return
  const state = (await within('readonly', store => store.get(KEY)).catch(ignore)) as LastState | undefined
  if (!state || state.loginId !== tokens.get()?.loginId || live.get().stream !== 'away') return
  const options = { updatedAt: state.knownMs }
  queryClient.setQueryData(sessionQuery.queryKey, state.session as never, options)
  queryClient.setQueryData(vehiclesQuery.queryKey, state.vehicles, options)
  if (state.devices) queryClient.setQueryData(devicesQuery.queryKey, state.devices, options)
  live.set({ stream: 'away', knownSinceMs: state.knownMs })
}

/** Browsers may keep nothing, as in private windows: then there is nothing to show. */
function ignore(): undefined {
  return undefined
}

// One record that stays in this browser, of any size (IndexedDB).
const DATABASE = 'tacho'
const STORE = 'last-state'
const KEY = 'fleet'

async function within<T>(mode: IDBTransactionMode, act: (store: IDBObjectStore) => IDBRequest<T>): Promise<T> {
  const opening = indexedDB.open(DATABASE, 1)
  opening.onupgradeneeded = () => opening.result.createObjectStore(STORE)
  const database = await resultOf(opening)
  try {
    return await resultOf(act(database.transaction(STORE, mode).objectStore(STORE)))
  } finally {
    database.close()
  }
}

function resultOf<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result)
    request.onerror = () => reject(request.error ?? new Error('the browser keeps nothing'))
  })
}

/**
 * Lets the browser keep the files of the console (`public/service-worker.js`), so that it can be installed and opens without a
 * network. Browsers allow that for pages of HTTPS and of this machine.
 */
export function keepApp(): void {
  if (!import.meta.env.PROD || !('serviceWorker' in navigator)) return
  // It loads the files once more, which must not delay the first time.
  window.addEventListener('load', () => {
    navigator.serviceWorker.register('/service-worker.js', { updateViaCache: 'none' }).catch(() => undefined)
  })
}
