import type { EventValue } from '../src/model/sample.ts'
import { askHttp, type Reply } from './http-client.ts'

/** An event as a sender writes it. */
export interface SentEvent {
  readonly deviceId: number
  readonly recordedTimestamp: string
  readonly eventType: string
  readonly value: EventValue
}

interface IngestReceipt {
  readonly accepted: number
  readonly duplicates: number
}

/** A sender with a key. */
export interface IngestClient {
  /** Sends a request. Rejects when the connection fails. */
  send(events: readonly SentEvent[]): Promise<Reply>
  /** Sends a request that must be stored. */
  store(events: readonly SentEvent[]): Promise<IngestReceipt>
}

/** @param url of the service or of an intake. */
export function ingestClient(url: string, key: string): IngestClient {
  const send = (events: readonly SentEvent[]) =>
    askHttp(`${url}/ingest/events`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify(events),
    })
  return {
    send,
    async store(events) {
      const { status, text } = await send(events)
      if (status !== 200) throw new Error(`${status} ${text}`)
      return JSON.parse(text) as IngestReceipt
    },
  }
}
