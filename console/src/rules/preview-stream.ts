import { EventSourceParserStream } from 'eventsource-parser/stream'
import { ApiError } from '../api/api-error.ts'
import { send } from '../api/request.ts'
import type { Incident } from '../api/types.ts'
import type { askedBy } from './rule-draft.ts'

/** How far a preview is, as `POST /rules/preview` reports it. */
export interface PreviewProgress {
  readonly devices: number
  readonly devicesDone: number
  /** Incidents that were found so far. */
  readonly count: number
}

/** What a rule would have found. */
export interface PreviewResult extends PreviewProgress {
  /** Days of UTC, `YYYY-MM-DD`, that have any. */
  readonly byDay: readonly { readonly day: string; readonly count: number }[]
  readonly byVehicle: readonly { readonly vehicleId: string; readonly count: number }[]
  /** The first of them. */
  readonly incidents: readonly Pick<
    Incident,
    'vehicleId' | 'areaId' | 'detail' | 'startTimestamp' | 'endTimestamp' | 'peak'
  >[]
}

/**
 * Tries a rule on the past; ends it when the signal says so.
 * @returns what it would have found
 * @throws {ApiError}
 */
export async function tryRule(
  rule: ReturnType<typeof askedBy>,
  onProgress: (progress: PreviewProgress) => void,
  signal: AbortSignal,
): Promise<PreviewResult> {
  const response = await send('POST', '/cc/v2.0/rules/preview', { body: rule, signal })
  const frames = response.body
    ?.pipeThrough(new TextDecoderStream())
    .pipeThrough(new EventSourceParserStream())
    .getReader()
  for (let read = await frames?.read(); read && !read.done; read = await frames?.read()) {
    const { event, data } = read.value
    if (event === 'progress') onProgress(JSON.parse(data) as PreviewProgress)
    if (event === 'result') return JSON.parse(data) as PreviewResult
    if (event === 'failed')
      throw new ApiError(500, (JSON.parse(data) as { readonly errorMessage: string }).errorMessage)
  }
  throw new ApiError(0, 'The service cannot be reached.')
}
