// A thread that folds stored samples by a rule: see folding-threads.ts.
import { parentPort } from 'node:worker_threads'
import { type CopiedRow, rowOfCopy } from '../../../db/copy.ts'
import { Layouts } from '../../../db/layouts.ts'
import type { Statement } from '../../../db/sql.ts'
import { parameterOf } from '../../../db/values.ts'
import { detectorOf } from '../../../derive/incidents/active-rules.ts'
import { CAR_STATE_TYPES } from '../../../derive/incidents/car-state.ts'
import type { IncidentItem } from '../../../derive/incidents/detector.ts'
import { type IncidentsState, incidentsPart } from '../../../derive/incidents/incidents-fold.ts'
import { isIn } from '../../../model/time-range.ts'
import { readAhead, type SampleSource } from '../../../store/index.ts'
import type {
  DatabaseAnswer,
  DatabaseQuestion,
  FromThread,
  ToThread,
  TriedBook,
  TriedDevice,
} from './folding-threads.ts'

const post = (message: FromThread) => parentPort?.postMessage(message, [])

/** The database as a thread has it: it asks the process, which takes the turns of the account. */
class AskedSource implements SampleSource {
  readonly layouts = new Layouts(this)
  readonly #waiting = new Map<number, (answer: DatabaseAnswer) => void>()
  #lastId = 0

  /** The request that asked for it continues. */
  answer(answer: DatabaseAnswer): void {
    this.#waiting.get(answer.id)?.(answer)
    this.#waiting.delete(answer.id)
  }

  async rows<Row extends object>(
    { text, values }: Statement,
    options?: { readonly prepareAs?: string },
  ): Promise<Row[]> {
    const parameters = values.map(parameterOf)
    const answer = await this.#ask({
      kind: 'rows',
      id: ++this.#lastId,
      text,
      values: parameters,
      prepareAs: options?.prepareAs,
    })
    if (answer.kind !== 'rows') throw new Error('an answer of another kind')
    return answer.rows.map(row => withBuffers(row) as Row)
  }

  async row(statement: Statement): Promise<CopiedRow | undefined> {
    const answer = await this.#ask({ kind: 'copied', id: ++this.#lastId, query: statement.inlined() })
    if (answer.kind !== 'copied') throw new Error('an answer of another kind')
    return rowOfCopy(bufferOf(answer.bytes))
  }

  #ask(question: DatabaseQuestion): Promise<DatabaseAnswer> {
    return new Promise(resolve => {
      this.#waiting.set(question.id, resolve)
      post(question)
    })
  }
}

/** A `Buffer` comes to a thread as plain bytes. */
function withBuffers(row: object): object {
  return Object.fromEntries(
    Object.entries(row).map(([name, value]) => [name, value instanceof Uint8Array ? bufferOf(value) : value]),
  )
}

function bufferOf({ buffer, byteOffset, byteLength }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength)
}

const source = new AskedSource()
let book: TriedBook | undefined

parentPort?.on('message', (message: ToThread) => {
  if (message.kind === 'rule') book = message.book
  // An error ends the thread, and is passed to the request that waits for it.
  else if (message.kind === 'device') void fold(message.device)
  else source.answer(message)
})

/** The same fold as of a saved rule, of all samples of a device in cars of the account. */
async function fold({ deviceId, periods }: TriedDevice): Promise<void> {
  if (!book) throw new Error('no rule to fold by')
  const tried = book
  const part = incidentsPart({ assignments: periods.map(period => ({ ...period, book: tried })) })
  const wanted = [...CAR_STATE_TYPES, ...(detectorOf(tried.rule).types ?? [])]
  let state: IncidentsState | null = null
  const found = (items: readonly IncidentItem[], samples: number) =>
    post({
      kind: 'folded',
      deviceId,
      samples,
      found: items.flatMap(item => {
        const period = periods.find(each => isIn(each, item.startMs))
        return period ? [{ publicId: period.publicId, deviceId, item }] : []
      }),
    })
  for (const { fromMs, toMs } of periods)
    for await (const samples of readAhead(source, { deviceId, fromMs, toMs }, wanted)) {
      const items: IncidentItem[] = []
      for (const sample of samples) {
        const stepped = part.step(state, sample)
        state = stepped.state
        items.push(...stepped.done)
      }
      found(items, samples.length)
    }
  found(part.goingOn(state), 0)
  post({ kind: 'done', deviceId })
}
