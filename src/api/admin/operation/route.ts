import type { FastifyBaseLogger } from 'fastify'
import { firstAccount, listAccountNames } from '../../../access/accounts.ts'
import type { IntakeStatus } from '../../../ingest/intake-status.ts'
import { callerOf } from '../../../server/http/access.ts'
import { type Metrics, type MetricsOfProcess, readMetrics } from '../../../server/http/health.ts'
import { millisecondText } from '../../../server/http/timestamps.ts'
import type { ApiContext, ApiServer } from '../../context.ts'
import { type AskIntake, createAskIntake, readParts } from '../../readiness.ts'
import { errorReplies } from '../../schemas.ts'
import { readRefusedSenders } from './refused-senders.ts'
import { Operation } from './schema.ts'

type Machine = NonNullable<Operation['machine']>

/** What is known of an intake that does not answer. */
const UNKNOWN: IntakeStatus = { pending: [], storingFault: null, failingJobs: [] }

/**
 * /admin/operation: how the service is. The first account is the operator's: its administrators see the whole machine, those
 * of others what concerns their account.
 */
export function operation(server: ApiServer, context: ApiContext, metrics: Metrics, log: FastifyBaseLogger): void {
  const { database, clock } = context
  const askIntake = createAskIntake(context)
  server.get(
    '/operation',
    {
      config: { access: 'administration' },
      schema: {
        tags: ['Administration'],
        operationId: 'getOperation',
        summary: 'See how the service is',
        description:
          'Which parts work, who was refused, and, for administrators of the first account, disk, backup, nodes, queues and ' +
          'jobs. Figures are those of the moment and of the node that answers; `/metrics` is for watching over time.',
        response: { 200: Operation, ...errorReplies },
      },
    },
    async request => {
      const { accountId } = callerOf(request)
      const isOperator = (await firstAccount(database.readsOf(accountId)))?.id === accountId
      const [parts, status, refused] = await Promise.all([
        readParts(context, askIntake, log),
        askForStatus(askIntake),
        readRefusedSenders(database.readsOf(accountId), isOperator ? undefined : accountId),
      ])
      const own = status.pending.find(account => account.accountId === accountId)
      return {
        timestamp: new Date(clock.wallMs()).toISOString(),
        parts: Object.entries(parts).map(([name, part]) => ({
          name,
          status: part.status,
          reason: part.status === 'ready' ? null : part.reason,
          sinceTimestamp: part.status === 'failing' ? part.since : null,
        })),
        pendingSamples: own?.samples ?? 0,
        refused: refused.map(({ last, ...sender }) => ({ lastTimestamp: millisecondText(last), ...sender })),
        machine: isOperator ? await readMachine(context, status, [metrics, askIntake]) : null,
      }
    },
  )
}

async function askForStatus(askIntake: AskIntake): Promise<IntakeStatus> {
  const reply = await askIntake('/status').catch(() => undefined)
  return reply?.ok ? ((await reply.json()) as IntakeStatus) : UNKNOWN
}

async function readMachine(
  { machine, database }: ApiContext,
  { pending, failingJobs }: IntakeStatus,
  [metrics, askIntake]: readonly [Metrics, AskIntake],
): Promise<Machine> {
  const [figures, names, backup] = await Promise.all([
    machine.figures(),
    pending.length > 0 ? listAccountNames(database.checks) : new Map<number, string>(),
    readBackup(metrics, askIntake),
  ])
  const { disk, processes = [], standbys = [] } = figures
  return {
    underivedSeconds: figures.underivedSeconds ?? null,
    databaseBytes: figures.databaseBytes ?? null,
    disk: disk ? { ...disk, daysLeft: disk.daysLeft ?? null } : null,
    backup,
    processes: processes.map(({ role, host, pid, since }) => ({
      process: role,
      host,
      pid,
      sinceTimestamp: millisecondText(since),
    })),
    standbys: standbys.map(({ name, lagBytes, lagSeconds }) => ({
      name,
      lagBytes: lagBytes ?? null,
      lagSeconds: lagSeconds ?? null,
    })),
    clockDifferenceSeconds: figures.clockDifferenceS ?? null,
    pending: pending
      .map(({ accountId, samples }) => ({ account: names.get(accountId) ?? null, samples }))
      .sort((one, other) => other.samples - one.samples),
    failingJobs: failingJobs.map(({ name, since, failures }) => ({ name, sinceTimestamp: since, failures })),
  }
}

/** Backups are known by their metrics alone, in whichever process they are; null where none are made. */
async function readBackup({ registry }: Metrics, askIntake: AskIntake): Promise<Machine['backup']> {
  const reply = await askIntake('/metrics').catch(() => undefined)
  const ofIntake = reply?.ok ? readMetrics(await reply.text()) : []
  const all = [...(await registry.getMetricsAsJSON()), ...ofIntake]
  const age = valueOf(all, 'tacho_backup_age_seconds')
  const lag = valueOf(all, 'tacho_backup_wal_lag_seconds')
  if (age === undefined && lag === undefined) return null
  return { ageSeconds: finite(age), logLagSeconds: finite(lag) }
}

function valueOf(metrics: MetricsOfProcess, name: string): number | undefined {
  const [first] = metrics.find(metric => metric.name === name)?.values ?? []
  return first?.value
}

function finite(value: number | undefined): number | null {
  return value !== undefined && Number.isFinite(value) ? value : null
}
