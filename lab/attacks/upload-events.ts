import type { Doors } from './attack.ts'
import type { RawReply } from './raw-request.ts'

export interface AttackEvent {
  readonly deviceId: number
  readonly recordedTimestamp: string
  readonly eventType: string
  readonly value: number | string
}

/** Events, or a body as it is to be sent. */
export type Upload = readonly AttackEvent[] | string | { readonly gzip: Buffer }

/** Sends events as the attacker. @returns undefined when its time was up before there was an answer */
export async function uploadEvents(
  { api, attacker }: Pick<Doors, 'api' | 'attacker'>,
  upload: Upload,
  signal: AbortSignal,
): Promise<RawReply | undefined> {
  const isGzip = typeof upload === 'object' && 'gzip' in upload
  try {
    return await api.send({
      path: '/ingest/events',
      method: 'POST',
      token: attacker.key,
      headers: { 'content-type': 'application/json', ...(isGzip ? { 'content-encoding': 'gzip' } : {}) },
      body: isGzip ? upload.gzip : typeof upload === 'string' ? upload : JSON.stringify(upload),
      signal,
    })
  } catch (error) {
    if (signal.aborted) return undefined
    throw error
  }
}
