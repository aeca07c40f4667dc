import { useCallback, useEffect, useRef, useState } from 'react'
import { useLanguage } from '../language/language.ts'
import { CSV_BEGIN, CSV_TYPE, type CsvCell, csvOf } from './csv.ts'
import { type ExportedFile, noteExport } from './note-export.ts'
import { saveFile } from './save-file.ts'

export interface CsvSource {
  readonly fileName: string
  readonly titles: readonly string[]
  /** Reads page after page; gives up when the signal says so. */
  readonly pages: (signal: AbortSignal) => AsyncIterable<readonly (readonly CsvCell[])[]>
}

interface CsvExport {
  /** How many rows there are so far; undefined while nothing is exported. */
  readonly rows: number | undefined
  readonly error: Error | undefined
  readonly start: (source: CsvSource) => void
  readonly cancel: () => void
}

/** Writes a list of any length into a CSV file, page by page; only the text of the file is held. */
export function useCsvExport(file: ExportedFile): CsvExport {
  const language = useLanguage()
  const [rows, setRows] = useState<number>()
  const [error, setError] = useState<Error>()
  const running = useRef<AbortController>(undefined)

  const cancel = useCallback(() => {
    running.current?.abort()
    running.current = undefined
    setRows(undefined)
  }, [])
  useEffect(() => () => running.current?.abort(), [])

  const start = async ({ fileName, titles, pages }: CsvSource) => {
    const controller = new AbortController()
    running.current = controller
    setError(undefined)
    setRows(0)
    try {
      const parts = [CSV_BEGIN, csvOf([titles], language)]
      let count = 0
      for await (const page of pages(controller.signal)) {
        parts.push(csvOf(page, language))
        count += page.length
        if (controller.signal.aborted) return
        setRows(count)
      }
      saveFile(fileName, CSV_TYPE, parts)
      noteExport(file)
      setRows(undefined)
    } catch (thrown) {
      if (controller.signal.aborted) return
      setError(thrown instanceof Error ? thrown : new Error(String(thrown)))
      setRows(undefined)
    }
  }
  return { rows, error, start: source => void start(source), cancel }
}
