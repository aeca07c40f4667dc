import { Layouts } from '../../../db/layouts.ts'
import type { Statement } from '../../../db/sql.ts'
import { parameterOf } from '../../../db/values.ts'
import type { HistorySource } from '../../../store/history-source.ts'
import type { DatabaseAnswer, DatabaseQuestion } from './thread-messages.ts'

/** The database as a thread has it: it asks the process, which takes the turns of the account. */
export class AskedSource implements HistorySource {
  readonly layouts = new Layouts(this)
  readonly #ask: (question: DatabaseQuestion) => void
  readonly #waiting = new Map<number, (answer: DatabaseAnswer) => void>()
  #lastId = 0

  constructor(ask: (question: DatabaseQuestion) => void) {
    this.#ask = ask
  }

  /** The request that asked for it continues. */
  answer(answer: DatabaseAnswer): void {
    this.#waiting.get(answer.id)?.(answer)
    this.#waiting.delete(answer.id)
  }

  async rows<Row extends object>(
    { text, values }: Statement,
    options?: { readonly prepareAs?: string },
  ): Promise<Row[]> {
    const id = ++this.#lastId
    const parameters = values.map(parameterOf)
    const answer = await this.#answerTo({ kind: 'rows', id, text, values: parameters, prepareAs: options?.prepareAs })
    if (answer.kind !== 'rows') throw new Error('an answer of another kind')
    return answer.rows.map(row => withBuffers(row) as Row)
  }

  async copied(statement: Statement): Promise<Buffer> {
    const answer = await this.#answerTo({ kind: 'copied', id: ++this.#lastId, query: statement.inlined() })
    if (answer.kind !== 'copied') throw new Error('an answer of another kind')
    return bufferOf(answer.bytes)
  }

  #answerTo(question: DatabaseQuestion): Promise<DatabaseAnswer> {
    return new Promise(resolve => {
      this.#waiting.set(question.id, resolve)
      this.#ask(question)
    })
  }
}

/** A `Buffer` comes to a thread as plain bytes. */
function withBuffers(row: object): object {
  const entries = Object.entries(row)
  if (!entries.some(([, value]) => value instanceof Uint8Array)) return row
  return Object.fromEntries(
    entries.map(([name, value]) => [name, value instanceof Uint8Array ? bufferOf(value) : value]),
  )
}

function bufferOf({ buffer, byteOffset, byteLength }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength)
}
