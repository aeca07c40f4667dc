import { Readable } from 'node:stream'
import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import type { AccountReads } from '../../../db/account-reads.ts'
import { type RuleDraft, readRule } from '../../../fleet/rules/read-rule.ts'
import { badRequest, ClientError, tooManyWaiting } from '../../../model/errors.ts'
import { DAY_MS, type TimeRange } from '../../../model/time-range.ts'
import { type Resource, routesOf } from '../../context.ts'
import { readTimestamp, timestampIn } from '../../schemas.ts'
import { notePositions } from '../../security-lines.ts'
import { bytesOf, namedEvent } from '../../stream/event-stream.ts'
import { TRIED_RULE } from '../rules.ts'
import { FoldingThreads } from './folding-threads.ts'
import { previewRule } from './preview.ts'
import { PreviewSummary } from './summary.ts'

const USUAL_DAYS = 90
const MOST_DAYS = 366
/** Previews of an account at once, on this node. */
const MOST_AT_ONCE = 2
const PROGRESS_EVERY_MS = 200

const Body = Type.Object(
  {
    ...TRIED_RULE,
    fromTimestamp: Type.Optional(timestampIn(`Where the period begins; by default ${USUAL_DAYS} days before its end.`)),
    toTimestamp: Type.Optional(timestampIn('Where the period ends; by default now.')),
  },
  { title: 'RuleToTry', additionalProperties: false },
)

const Stream = {
  description: 'Server-sent events.',
  content: {
    'text/event-stream': {
      schema: Type.String({
        description:
          'Frames of server-sent events. `progress`: `{"devices", "devicesDone", "samples", "count"}`, some times a second. Last ' +
          '`result`: the same with `byDay` (of UTC), `byVehicle` and the first `incidents`; or `failed`: `{"errorMessage"}`.',
        examples: [
          'event: progress\ndata: {"devices":12,"devicesDone":3,"samples":54000,"count":7}\n\nevent: result\ndata: {"devices":12,"devicesDone":12,"samples":240000,"count":1,"byDay":[{"day":"2026-01-12","count":1}],"byVehicle":[{"vehicleId":"VINWVWZZZ1KZAW000001","count":1}],"incidents":[]}\n\n',
        ],
      }),
    },
  },
}

/** POST /rules/preview: what a rule would have found, without saving it. */
export const rulePreview: Resource = (server, context) => {
  const route = routesOf(server, context, { access: 'rules', tag: 'Rules' })
  const { clock } = context
  const threads = new FoldingThreads()
  server.addHook('onClose', () => threads.stop())
  const running = new Map<number, number>()
  route('POST /rules/preview', {
    operationId: 'previewRule',
    summary: 'Try a rule on the past',
    description:
      `What a rule would have found in a period of at most ${MOST_DAYS} days, by the same rules as when it is saved; nothing is saved. ` +
      'Progress and result come as server-sent events; close the connection to stop it.',
    body: Body,
    reply: Stream,
    answer: async asked => {
      const { accountId, request, reply, maySeePositions } = asked
      const period = periodOf(asked.body, clock.wallMs())
      const draft = await readRule(asked.reads, accountId, asked.body)
      const count = running.get(accountId) ?? 0
      if (count >= MOST_AT_ONCE) throw tooManyWaiting('previews')
      running.set(accountId, count + 1)
      reply.raw.once('close', () => {
        const left = (running.get(accountId) ?? 1) - 1
        if (left > 0) running.set(accountId, left)
        else running.delete(accountId)
      })
      notePositions(request, {})
      void reply.type('text/event-stream; charset=utf-8')
      // Otherwise nginx buffers frames before it forwards them.
      void reply.header('x-accel-buffering', 'no')
      const options = { accountId, draft, period, threads }
      const pieces = frames(request, asked.history, options, maySeePositions)
      return reply.send(Readable.from(pieces, { objectMode: false }))
    },
  })
}

async function* frames(
  request: FastifyRequest,
  reads: AccountReads,
  options: Parameters<typeof previewRule>[1] & { readonly draft: RuleDraft },
  maySeePositions: boolean,
): AsyncGenerator<Buffer> {
  const summary = new PreviewSummary(options.draft, maySeePositions)
  let reportedMs = Number.NEGATIVE_INFINITY
  try {
    for await (const progress of previewRule(reads, options)) {
      summary.add(progress)
      if (performance.now() - reportedMs < PROGRESS_EVERY_MS) continue
      reportedMs = performance.now()
      yield bytesOf(namedEvent('progress', summary.progress()))
    }
    yield bytesOf(namedEvent('result', summary.result()))
  } catch (error) {
    // The client has closed the connection.
    if (request.raw.destroyed) return
    if (!(error instanceof ClientError)) request.log.error({ err: error }, 'a preview of a rule failed')
    const errorMessage = error instanceof ClientError ? error.message : 'The preview failed; try again.'
    yield bytesOf(namedEvent('failed', { errorMessage }))
  }
}

function periodOf(
  { fromTimestamp, toTimestamp }: { readonly fromTimestamp?: string; readonly toTimestamp?: string },
  nowMs: number,
): TimeRange {
  const toMs = toTimestamp === undefined ? nowMs : Date.parse(readTimestamp(toTimestamp, 'toTimestamp'))
  const fromMs =
    fromTimestamp === undefined ? toMs - USUAL_DAYS * DAY_MS : Date.parse(readTimestamp(fromTimestamp, 'fromTimestamp'))
  if (fromMs >= toMs) throw badRequest('fromTimestamp must be before toTimestamp.')
  if (toMs - fromMs > MOST_DAYS * DAY_MS)
    throw badRequest(`The period from fromTimestamp to toTimestamp must have at most ${MOST_DAYS} days.`)
  return { fromMs, toMs }
}
