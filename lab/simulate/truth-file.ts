import { once } from 'node:events'
import { createReadStream, createWriteStream } from 'node:fs'
import { createInterface } from 'node:readline'
import { OperatorError } from '../../src/model/errors.ts'
import type { FleetLine, TruthLine } from './truth-lines.ts'

export interface TruthWriter {
  write(line: TruthLine): Promise<void>
  /** Returns when all of it is in the file. */
  close(): Promise<void>
}

/**
 * Starts a new truth file. Each line is appended as soon as it is true, so killing the process loses the last moment and at most
 * cuts the last line.
 * @throws OperatorError when there can be no such file.
 */
export async function writeTruth(path: string, fleet: FleetLine): Promise<TruthWriter> {
  const file = createWriteStream(path)
  // Each dongle may wait for it.
  file.setMaxListeners(0)
  try {
    await once(file, 'open')
  } catch (error) {
    throw new OperatorError(`The truth can not be written: ${(error as Error).message}.`)
  }
  let failure: Error | undefined
  file.on('error', error => {
    failure = error
  })
  const write = async (line: TruthLine) => {
    if (failure) throw new OperatorError(`The truth can not be written: ${failure.message}.`)
    if (!file.write(`${JSON.stringify(line)}\n`)) await once(file, 'drain')
  }
  await write(fleet)
  return {
    write,
    async close() {
      if (failure) return
      file.end()
      await once(file, 'close')
    },
  }
}

/**
 * Reads a truth file line by line; a last line that was cut is left out.
 * @throws OperatorError when it is none.
 */
export async function* readTruth(path: string): AsyncGenerator<TruthLine> {
  const lines = createInterface({ input: createReadStream(path, 'utf8'), crlfDelay: Number.POSITIVE_INFINITY })
  let lineNumber = 0
  let cutLine: number | undefined
  try {
    for await (const text of lines) {
      lineNumber++
      if (cutLine !== undefined) throw new OperatorError(`${path}, line ${cutLine}: this is no line of a truth file.`)
      const line = lineOf(text)
      if (line) yield line
      else cutLine = lineNumber
    }
  } catch (error) {
    if (error instanceof OperatorError) throw error
    throw new OperatorError(`The truth can not be read: ${(error as Error).message}.`)
  }
  if (lineNumber === 0 || cutLine === 1) throw new OperatorError(`${path} is no truth file.`)
}

const KINDS = ['fleet', 'dongle', 'stint', 'acknowledged', 'misdated', 'passed', 'trip', 'fault', 'incident']

function lineOf(text: string): TruthLine | undefined {
  try {
    const line: unknown = JSON.parse(text)
    const [kind = ''] = Object.keys(Object(line) as object)
    return KINDS.includes(kind) ? (line as TruthLine) : undefined
  } catch {
    return undefined
  }
}
