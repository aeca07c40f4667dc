import type { Doors } from './attack.ts'
import type { RawReply } from './raw-request.ts'

export interface AttackEvent {
  readonly deviceId: number
  readonly recordedTimestamp: string
  readonly eventType: string
  readonly value: number
}

/** Sends events as the attacker. @returns undefined when its time was up before there was an answer */
export async function uploadEvents(
  { api, attacker }: Pick<Doors, 'api' | 'attacker'>,
  events: readonly AttackEvent[] | string,
  signal: AbortSignal,
): Promise<RawReply | undefined> {
  try {
    return await api.send({
      path: '/ingest/events',
      method: 'POST',
      token: attacker.key,
      headers: { 'content-type': 'application/json' },
      body: typeof events === 'string' ? events : JSON.stringify(events),
      signal,
    })
  } catch (error) {
    if (signal.aborted) return undefined
    throw error
  }
}

/** Answers by how often each was given. */
export class Answers {
  readonly #counts = new Map<number, number>()

  /** @throws when that answer may not be given */
  add(reply: RawReply | undefined, allowed: readonly number[]): void {
    if (!reply) return
    const { status, body } = reply
    if (!allowed.includes(status)) throw new Error(`answered ${status}: ${body.slice(0, 200)}`)
    this.#counts.set(status, (this.#counts.get(status) ?? 0) + 1)
  }

  countOf(status: number): number {
    return this.#counts.get(status) ?? 0
  }

  get text(): string {
    return `answered ${[...this.#counts].map(([status, count]) => `${status} ${count} times`).join(', ')}`
  }
}
