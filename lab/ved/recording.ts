import { createReadStream } from 'node:fs'
import { open } from 'node:fs/promises'
import { basename } from 'node:path'
import { pipeline } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { OperatorError } from '../../src/model/errors.ts'
import { type ParseRow, rowParser, type VedRow } from './row.ts'

/**
 * The rows of a recording, plain or gzip, one after the other and never all at once in memory.
 * @throws OperatorError when the file can not be read or a line makes no sense.
 */
export async function* readRows(file: string): AsyncGenerator<VedRow> {
  const fileName = basename(file)
  let parse: ParseRow | undefined
  let lineNumber = 0
  try {
    for await (const line of linesOf(file)) {
      lineNumber++
      if (!parse) parse = rowParser(fileName, line)
      else if (line.trim() !== '') yield parse(line, lineNumber)
    }
  } catch (error) {
    if (error instanceof OperatorError) throw error
    const { code, message } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') throw new OperatorError(`There is no file ${file}.`, { cause: error })
    const where = code?.startsWith('Z_') ? `${fileName} is damaged after line ${lineNumber}` : `${file} can not be read`
    throw new OperatorError(`${where}: ${message}.`, { cause: error })
  }
  if (!parse) throw new OperatorError(`${fileName} is empty.`)
}

async function* linesOf(file: string): AsyncGenerator<string> {
  const gzip = await isGzip(file)
  const plain = createReadStream(file)
  // An error on either side ends both and arrives through the iteration, so the callback has nothing to do.
  const input = gzip ? pipeline(plain, createGunzip(), () => {}) : plain
  let unfinished = ''
  for await (const chunk of input.setEncoding('utf8')) {
    const lines = (unfinished + String(chunk)).split('\n')
    unfinished = lines.pop() ?? ''
    yield* lines
  }
  if (unfinished !== '') yield unfinished
}

const GZIP_MAGIC = Buffer.from([0x1f, 0x8b])

async function isGzip(file: string): Promise<boolean> {
  const handle = await open(file)
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(2), 0, 2, 0)
    return bytesRead === 2 && buffer.equals(GZIP_MAGIC)
  } finally {
    await handle.close()
  }
}
