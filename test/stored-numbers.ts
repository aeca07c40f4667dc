import { expect } from 'vitest'
import { numberedEvent, type Remembered } from './remembering-senders.ts'

interface ShownEvent {
  readonly event_type: string
  readonly device_id: number
  readonly recorded_timestamp: string
  readonly value: number
}

/** The numbers of all events (see `numberedEvent`), as the API shows them. */
export async function storedNumbers(address: string, token: string): Promise<number[]> {
  const numbers: number[] = []
  let next: string | undefined = '/cc/v2.0/events?fromTimestamp=2000-01-01&maxResults=10000'
  while (next) {
    const reply: Response = await fetch(address + next, { headers: { authorization: `Bearer ${token}` } })
    for (const event of (await reply.json()) as ShownEvent[]) {
      const { deviceId, recordedTimestamp, eventType } = numberedEvent(event.value)
      expect(event).toMatchObject({ device_id: deviceId, recorded_timestamp: recordedTimestamp, event_type: eventType })
      numbers.push(event.value)
    }
    next = /<(.*)>; rel="next"/.exec(reply.headers.get('link') ?? '')?.[1]
  }
  return numbers
}

/** Everything acknowledged is there once, each other request as a whole or not at all, and nothing that was never sent. */
export function expectOnlyWhatWasSent(stored: readonly number[], { acknowledged, abandoned }: Remembered): void {
  const present = new Set(stored)
  expect(present.size, 'nothing twice').toBe(stored.length)
  expect([...acknowledged].filter(number => !present.has(number))).toEqual([])
  for (const batch of abandoned) {
    const there = batch.filter(number => present.has(number)).length
    expect([0, batch.length], `a request is stored whole or not at all: ${batch[0]}`).toContain(there)
  }
  const sent = new Set([...acknowledged, ...abandoned.flat()])
  expect(stored.filter(number => !sent.has(number))).toEqual([])
}
