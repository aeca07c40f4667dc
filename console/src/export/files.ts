import { ApiError } from '../api/api-error.ts'

/** A cell of a list that is exported. */
export type ExportCell = string | number | Date | undefined

/** A list of any length as a file has it. */
export interface ExportSource {
  /** Of `fileNameOf`; the format adds its own ending. */
  readonly fileName: string
  readonly titles: readonly string[]
  /** Reads page after page; gives up when the signal says so. */
  readonly pages: (signal: AbortSignal) => AsyncIterable<readonly (readonly ExportCell[])[]>
}

/** Hands a file to the person, as a download of the browser. */
export function saveFile(name: string, type: string, parts: readonly BlobPart[]): void {
  const address = URL.createObjectURL(new Blob([...parts], { type }))
  const link = document.createElement('a')
  link.href = address
  link.download = name
  link.click()
  // Some browsers begin to read only after this turn.
  setTimeout(() => URL.revokeObjectURL(address), 60_000)
}

const LONGEST = 120

/** A name that every file system takes, without an ending, of parts such as a plate and a date; empty parts are left out. */
export function fileNameOf(parts: readonly string[]): string {
  const words = parts.map(part =>
    part.replaceAll(/[^\p{Letter}\p{Number}.-]+/gu, '-').replaceAll(/^[-.]+|(?<![-.])[-.]+$/g, ''),
  )
  return words.filter(Boolean).join('_').slice(0, LONGEST) || 'export'
}

export interface Page<T> {
  readonly items: readonly T[]
  /** Where the next page is. */
  readonly next: string | undefined
}

const PATIENCE_S = 5

/** Reads page after page; waits when the service answers 429. */
export async function* everyPage<T>(
  ask: (next: string | undefined) => Promise<Page<T>>,
  signal: AbortSignal,
): AsyncGenerator<readonly T[]> {
  let next: string | undefined
  do {
    const page = await patiently(() => ask(next), signal)
    yield page.items
    next = page.next
  } while (next !== undefined && !signal.aborted)
}

async function patiently<T>(ask: () => Promise<T>, signal: AbortSignal): Promise<T> {
  for (;;) {
    try {
      return await ask()
    } catch (error) {
      if (!(error instanceof ApiError) || error.status !== 429 || signal.aborted) throw error
      const pauseMs = (error.retryAfterS ?? PATIENCE_S) * 1000
      await new Promise(resolve => setTimeout(resolve, pauseMs))
      signal.throwIfAborted()
    }
  }
}
