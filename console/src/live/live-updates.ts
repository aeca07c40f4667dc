import { EventSourceParserStream } from 'eventsource-parser/stream'
import { ApiError } from '../api/api-error.ts'
import { queryClient } from '../api/query-client.ts'
import { send } from '../api/request.ts'
import { type Area, type Device, type Dtc, type Incident, type Trip, type Vehicle } from '../api/types.ts'
import { areaList } from '../areas/areas-query.ts'
import { deviceList, FLEET_EVENT_TYPES, vehicleList } from '../fleet/use-cars.ts'
import { sessionQuery } from '../session/use-session.ts'
import { type LiveState, setLiveState } from './live-state.ts'

/** Keeps cached replies up to date, until the function that it returns is called. */
export function startLiveUpdates(): () => void {
  const close = openLiveStream({
    address: `/stream?lastEventTypes=${FLEET_EVENT_TYPES}`,
    onFrame: apply,
    onReady: how => {
      // Replies from before may have changed before the stream began.
      if (how === 'afresh') void queryClient.invalidateQueries()
      else void catchUp()
    },
    onState: setLiveState,
  })
  return () => {
    close()
    setLiveState('connecting')
  }
}

/** A resumed stream misses nothing, but requests of pages may have failed in the meantime, and permissions may have changed. */
async function catchUp(): Promise<void> {
  void queryClient.invalidateQueries({ predicate: query => query.state.status === 'error' })
  const permissions = () => queryClient.getQueryData(sessionQuery.queryKey)?.permissions.join()
  const before = permissions()
  await queryClient.invalidateQueries({ queryKey: sessionQuery.queryKey })
  if (permissions() !== before) await queryClient.invalidateQueries()
}

function apply({ resource, objects }: LiveFrame): void {
  switch (resource) {
    case 'vehicles': {
      const vehicles = objects as readonly Vehicle[]
      vehicleList.learn(queryClient, vehicles)
      for (const { id } of vehicles) askAgain(['vehicle', id])
      return
    }
    case 'devices':
      deviceList.learn(queryClient, objects as readonly Device[])
      return
    case 'areas':
      areaList.learn(queryClient, objects as readonly Area[])
      return
    case 'trips':
      for (const { id, vehicleId } of objects as readonly Trip[]) {
        askAgain(['trip', id])
        askAgain(['newest-trip', vehicleId])
      }
      askAgain(['trips'])
      askAgain(['statistics'])
      return
    case 'dtcs':
      for (const { vehicleId } of objects as readonly Dtc[]) askAgain(['vehicle-dtcs', vehicleId])
      askAgain(['dtcs'])
      return
    case 'incidents':
      for (const { id } of objects as readonly Incident[]) askAgain(['incident', id])
      askAgain(['incidents'])
      return
    case 'rules':
      askAgain(['rules'])
      return
  }
}

/** Lists that the server computes are refetched at most this often while changes keep coming. */
const ASK_AGAIN_MS = 2000

const asking = new Map<string, { isDue: boolean }>()

/**
 * Marks the queries of a key as out of date: at once, then at most every `ASK_AGAIN_MS`. A running request is
 * not cancelled, or a slow one would never end while changes keep coming; it is repeated, because it may have read too early.
 */
function askAgain(queryKey: readonly string[]): void {
  const name = JSON.stringify(queryKey)
  const pending = asking.get(name)
  if (pending) {
    pending.isDue = true
    return
  }
  const queries = queryClient.getQueryCache().findAll({ queryKey })
  if (queries.length === 0) return
  const entry = { isDue: queries.some(query => query.state.fetchStatus !== 'idle') }
  asking.set(name, entry)
  void queryClient.invalidateQueries({ queryKey, fetchStatus: 'idle' })
  setTimeout(() => {
    asking.delete(name)
    if (entry.isDue) askAgain(queryKey)
  }, ASK_AGAIN_MS)
}

/** A frame of `GET /stream`: objects in the API's own shapes. */
interface LiveFrame {
  readonly resource: string
  readonly objects: readonly unknown[]
}

const FIRST_PAUSE_MS = 500
const LONGEST_PAUSE_MS = 15_000

/** Heartbeats come every 15 s; after this long without a byte the connection is dead, whatever the system believes. */
const SILENCE_MS = 40_000

interface LiveStreamOptions {
  /** Path and query of the stream. */
  readonly address: string
  readonly onFrame: (frame: LiveFrame) => void
  /** A connection has begun; if it did not resume where the last one ended, lists must be refetched. */
  readonly onReady: (how: 'resumed' | 'afresh') => void
  readonly onState: (state: LiveState) => void
}

/**
 * Reads `GET /stream` until it is stopped: connects again with growing pauses and resumes behind the last frame that
 * was applied (`Last-Event-ID`). The browser's own EventSource cannot send a Bearer token.
 */
function openLiveStream({ address, onFrame, onReady, onState }: LiveStreamOptions): () => void {
  const stopped = new AbortController()
  let lastEventId: string | undefined
  let pauseMs = FIRST_PAUSE_MS

  const readOnce = async () => {
    const connection = new AbortController()
    const stop = () => connection.abort()
    stopped.signal.addEventListener('abort', stop)
    let silence = setTimeout(stop, SILENCE_MS)
    try {
      const isResumed = lastEventId !== undefined
      const headers: Record<string, string> = lastEventId === undefined ? {} : { 'last-event-id': lastEventId }
      const response = await send('GET', address, { headers, signal: connection.signal })
      if (!response.body) return
      const heard = new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
        transform(bytes, controller) {
          clearTimeout(silence)
          silence = setTimeout(stop, SILENCE_MS)
          controller.enqueue(bytes)
        },
      })
      const messages = response.body
        .pipeThrough(heard)
        .pipeThrough(new TextDecoderStream())
        .pipeThrough(new EventSourceParserStream())
        .getReader()
      for (let read = await messages.read(); !read.done; read = await messages.read()) {
        if (stopped.signal.aborted) return
        const { event, id, data } = read.value
        if (event === 'ready') {
          pauseMs = FIRST_PAUSE_MS
          onReady(isResumed ? 'resumed' : 'afresh')
          onState('live')
        } else if (event) onFrame({ resource: event, objects: JSON.parse(data) as unknown[] })
        if (id) lastEventId = id
      }
    } finally {
      clearTimeout(silence)
      stop()
      stopped.signal.removeEventListener('abort', stop)
    }
  }

  const keepReading = async () => {
    while (!stopped.signal.aborted) {
      onState('connecting')
      try {
        await readOnce()
      } catch (error) {
        if (error instanceof ApiError) {
          if (error.status === 400) lastEventId = undefined
          pauseMs = Math.max(pauseMs, (error.retryAfterS ?? 0) * 1000)
        }
      }
      if (stopped.signal.aborted) return
      onState('away')
      await new Promise(resolve => setTimeout(resolve, pauseMs * (0.75 + Math.random() / 2)))
      pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)
    }
  }
  void keepReading()
  return () => stopped.abort()
}
