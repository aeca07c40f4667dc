import type { QueryClient, QueryKey } from '@tanstack/react-query'
import { EventSourceParserStream } from 'eventsource-parser/stream'
import { ApiError } from '../api/api-error.ts'
import { queryClient } from '../api/query-client.ts'
import { send } from '../api/request.ts'
import { areaList } from '../areas/areas-query.ts'
import { deviceList, FLEET_EVENT_TYPES, vehicleList } from '../fleet/use-cars.ts'
import { sessionQuery } from '../session/use-session.ts'
import { setStream } from './live-state.ts'

const FIRST_PAUSE_MS = 500
const LONGEST_PAUSE_MS = 15_000

/** Heartbeats come every 15 s; after this long without one or a frame the connection is dead, whatever the system believes. */
const SILENCE_MS = 40_000

/**
 * Keeps cached replies up to date, until the function that it returns is called: reads `GET /stream`, connects again with growing pauses, and
 * resumes behind the last frame that was applied (`Last-Event-ID`). The browser's own EventSource cannot send a Bearer token.
 */
export function startLiveUpdates(): () => void {
  const stopped = new AbortController()
  let connection = new AbortController()
  let lastEventId: string | undefined
  let pauseMs = FIRST_PAUSE_MS

  const readOnce = async () => {
    const { signal } = (connection = new AbortController())
    const giveUp = () => connection.abort()
    let silence = setTimeout(giveUp, SILENCE_MS)
    const heard = () => {
      clearTimeout(silence)
      silence = setTimeout(giveUp, SILENCE_MS)
    }
    try {
      const headers: Record<string, string> = lastEventId === undefined ? {} : { 'last-event-id': lastEventId }
      const response = await send('GET', `/stream?lastEventTypes=${FLEET_EVENT_TYPES}`, { headers, signal })
      const messages = response.body
        ?.pipeThrough(new TextDecoderStream())
        .pipeThrough(new EventSourceParserStream({ onComment: heard }))
        .getReader()
      for (let read = await messages?.read(); read && !read.done; read = await messages?.read()) {
        if (stopped.signal.aborted) return
        heard()
        const { event, id, data } = read.value
        if (event === 'ready') {
          pauseMs = FIRST_PAUSE_MS
          // Replies from before may have changed before a stream that begins afresh.
          void ('last-event-id' in headers ? catchUp() : queryClient.invalidateQueries())
          setStream('live')
        } else if (event) apply(event, JSON.parse(data) as Changed[])
        if (id) lastEventId = id
      }
    } finally {
      clearTimeout(silence)
      giveUp()
    }
  }

  const keepReading = async () => {
    while (!stopped.signal.aborted) {
      setStream('connecting')
      try {
        await readOnce()
      } catch (error) {
        if (error instanceof ApiError) {
          if (error.status === 400) lastEventId = undefined
          pauseMs = Math.max(pauseMs, (error.retryAfterS ?? 0) * 1000)
        }
      }
      if (stopped.signal.aborted) return
      setStream('away')
      await new Promise(resolve => setTimeout(resolve, pauseMs * (0.75 + Math.random() / 2)))
      pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)
    }
  }
  void keepReading()
  return () => {
    stopped.abort()
    connection.abort()
    setStream('connecting')
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

/** Lists that take up changed objects as they come. */
const FOLLOWED: Readonly<Record<string, { learn: (client: QueryClient, changed: readonly never[]) => void }>> = {
  vehicles: vehicleList,
  devices: deviceList,
  areas: areaList,
}

/** What is asked for again when an object changes: queries about it, and lists that the service computes. */
const ASKED_AGAIN: Readonly<Record<string, (changed: Changed) => readonly QueryKey[]>> = {
  vehicles: ({ id }) => [['vehicle', id]],
  trips: ({ id, vehicleId }) => [['trip', id], ['newest-trip', vehicleId], ['trips'], ['statistics']],
  dtcs: ({ vehicleId }) => [['vehicle-dtcs', vehicleId], ['dtcs']],
  incidents: ({ id }) => [['incident', id], ['incidents']],
  rules: () => [['rules']],
}

interface Changed {
  readonly id: string | number
  /** Of what belongs to one. */
  readonly vehicleId?: string
}

/** Takes up a frame of the stream: objects in the API's own shapes. */
function apply(resource: string, objects: readonly Changed[]): void {
  FOLLOWED[resource]?.learn(queryClient, objects as readonly never[])
  const keys = objects.flatMap(object => ASKED_AGAIN[resource]?.(object) ?? [])
  for (const key of new Map(keys.map(each => [JSON.stringify(each), each])).values()) askAgain(key)
}

/** Lists that the server computes are refetched at most this often while changes keep coming. */
const ASK_AGAIN_MS = 2000

const asking = new Map<string, { isDue: boolean }>()

/**
 * Marks the queries of a key as out of date: at once, then at most every `ASK_AGAIN_MS`. A running request is
 * not cancelled, or a slow one would never end while changes keep coming; it is repeated, because it may have read too early.
 */
function askAgain(queryKey: QueryKey): void {
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
