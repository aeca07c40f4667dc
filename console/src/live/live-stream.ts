import { EventSourceParserStream } from 'eventsource-parser/stream'
import { ApiError } from '../api/api-error.ts'
import { send } from '../api/request.ts'
import type { LiveState } from './live-state.ts'

/** A frame of `GET /stream`: objects in the API's own shapes. */
export interface LiveFrame {
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
export function openLiveStream({ address, onFrame, onReady, onState }: LiveStreamOptions): () => void {
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
