import type { FastifyInstance } from 'fastify'
import { type Static, Type } from 'typebox'
import { firstAccount, listAccountNames } from '../../access/accounts.ts'
import type { RejectionReason } from '../../db/rejected-frames.ts'
import { type Connection, sql } from '../../db/sql.ts'
import type { IntakeStatus } from '../../ingest/storing-state.ts'
import { type Metrics, type MetricsOfProcess, type Parts, readMetrics } from '../../server/http/health.ts'
import { millisecondText } from '../../server/http/timestamps.ts'
import { type ApiContext, routesOf } from '../context.ts'
import type { AskIntake } from '../operations.ts'
import { deviceIdField, instant, nullable } from '../schemas.ts'

type MachineFigures = NonNullable<Operation['machine']>

const UNKNOWN: IntakeStatus = { pending: [], storingFault: null, failingJobs: [] }

/** /admin/operation: administrators of the first account, the operator's, see the machine; others their account. */
export function operation(
  server: FastifyInstance,
  context: ApiContext,
  metrics: Metrics,
  askIntake: AskIntake,
  readParts: () => Promise<Parts>,
): void {
  const route = routesOf(server, context, { access: 'administration', tag: 'Administration', isUntranslated: true })
  route('GET /operation', {
    operationId: 'getOperation',
    summary: 'See how the service is',
    description:
      'Which parts work, who was refused, and, for administrators of the first account, disk, backup, nodes, queues and ' +
      'jobs. Figures are those of the moment and of the node that answers; `/metrics` is for watching over time.',
    reply: Operation,
    answer: async asked => {
      const { accountId, reads } = asked
      const isOperator = (await firstAccount(reads))?.id === accountId
      const [parts, status, refused] = await Promise.all([
        readParts(),
        askForStatus(askIntake),
        readRefusedSenders(reads, isOperator ? undefined : accountId),
      ])
      const own = status.pending.find(account => account.accountId === accountId)
      return {
        timestamp: new Date(context.clock.wallMs()).toISOString(),
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
  })
}

async function askForStatus(askIntake: AskIntake): Promise<IntakeStatus> {
  const reply = await askIntake('/status').catch(() => undefined)
  return reply?.ok ? ((await reply.json()) as IntakeStatus) : UNKNOWN
}

async function readMachine(
  { machine, database }: ApiContext,
  { pending, failingJobs }: IntakeStatus,
  [metrics, askIntake]: readonly [Metrics, AskIntake],
): Promise<MachineFigures> {
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
    processes: processes.map(({ role, host, pid, startMs }) => ({
      process: role,
      host,
      pid,
      sinceTimestamp: new Date(startMs).toISOString(),
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
async function readBackup({ registry }: Metrics, askIntake: AskIntake): Promise<MachineFigures['backup']> {
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

interface RefusedRow {
  readonly last: string
  readonly times: number
  readonly gateway: string
  readonly deviceId: number | null
  readonly sender: string
  readonly reason: RejectionReason
  readonly why: string
  readonly isKnown: boolean
}

const MOST_SENDERS = 100

/** The last one first; each with the same reason once. @param accountId undefined for all accounts */
function readRefusedSenders(connection: Connection, accountId: number | undefined): Promise<RefusedRow[]> {
  return connection.rows<RefusedRow>(sql`
    with grouped as (
      select gateway, device_id, sender, reason, (array_agg(why order by id desc))[1] as why,
        max(received) as last, count(*)::integer as times
      from rejected_frames f
      where ${accountId ?? null}::integer is null or exists (
        select from assignments a
        where a.device_id = f.device_id and a.to_time = 'infinity' and a.account_id = ${accountId ?? null}::integer)
      group by gateway, device_id, sender, reason)
    select gateway, device_id as "deviceId", sender, reason, why, last, times,
      exists (select from devices d where d.id = device_id and d.deleted is null) as "isKnown"
    from grouped order by last desc, sender limit ${MOST_SENDERS}`)
}

const orNull = (description: string, example: number) =>
  Type.Union([Type.Number({ examples: [example] }), Type.Null()], { description })
const count = (description: string) => Type.Integer({ description, minimum: 0, examples: [12] })
const oneOf = <Word extends string>(words: readonly Word[], description: string) =>
  Type.Unsafe<Word>({ type: 'string', enum: words, description })

const ServicePart = Type.Object(
  {
    name: Type.String({ description: 'database, intake, or storing of what arrives.', examples: ['database'] }),
    status: oneOf(
      ['ready', 'failing', 'not ready'],
      'failing: requests are answered, but something does not work. not ready: it cannot be used.',
    ),
    reason: nullable(
      Type.String({
        description: 'What is wrong; null when nothing is.',
        examples: ['The disk of the database is full: nothing was stored.'],
      }),
    ),
    sinceTimestamp: nullable(instant('Since when; null where that is unknown.')),
  },
  { title: 'ServicePart', description: 'A part of the service, and how it is.' },
)

const REASONS = ['unreadable', 'unknown device', 'claimed device', 'network', 'not stored'] as const

const RefusedSender = Type.Object(
  {
    lastTimestamp: instant('When it was refused last.'),
    times: Type.Integer({ description: 'How often, as far as frames are kept.', minimum: 1, examples: [12] }),
    gateway: Type.String({ description: 'The protocol.', examples: ['teltonika'] }),
    deviceId: Type.Union([deviceIdField, Type.Null()], {
      description: 'The dongle that the sender claims to be; null where it does not say.',
    }),
    sender: Type.String({ description: 'The address it came from.', examples: ['192.0.2.7'] }),
    reason: oneOf(REASONS, 'Why, as far as it decides what can be done.'),
    why: Type.String({
      description: 'The same in words.',
      examples: ['The device 356307042441013 is unknown and may not join.'],
    }),
    isKnown: Type.Boolean({ description: 'The dongle is registered by now.' }),
  },
  { title: 'RefusedSender', description: 'Somebody whose frames or logins were refused.' },
)

const Machine = Type.Object(
  {
    underivedSeconds: orNull('For how long the oldest stored record has been waiting to be derived.', 0.4),
    databaseBytes: orNull('Size of the database.', 2_500_000_000),
    disk: Type.Union([
      Type.Object({
        freeBytes: Type.Number({ description: 'Free space.', examples: [80_000_000_000] }),
        sizeBytes: Type.Number({ description: 'Its size.', examples: [120_000_000_000] }),
        daysLeft: orNull('Days until it is full as it fills; null while it does not, and in the first hour.', 140),
      }),
      Type.Null(),
    ]),
    backup: Type.Union([
      Type.Object({
        ageSeconds: orNull('Age of the newest backup; null while there is none.', 3600),
        logLagSeconds: orNull(
          'Seconds up to now that are in no backup: what would be lost with the disk; null while nothing is archived.',
          4,
        ),
      }),
      Type.Null(),
    ]),
    processes: Type.Array(
      Type.Object({
        process: oneOf(['api', 'intake'], 'What it does.'),
        host: Type.String({ description: 'The machine.', examples: ['node-1'] }),
        pid: Type.Integer({ description: 'Its number there.', examples: [4711] }),
        sinceTimestamp: instant('When it started.'),
      }),
    ),
    standbys: Type.Array(
      Type.Object({
        name: Type.String({ description: 'Its application_name.', examples: ['standby-1'] }),
        lagBytes: orNull('What it has not replayed yet; null where Tacho may not know.', 0),
        lagSeconds: orNull('How old that is; null where Tacho may not know, and when it has replayed all.', 0),
      }),
    ),
    clockDifferenceSeconds: orNull('By how much the clock of this machine is ahead of that of the database.', 0.001),
    pending: Type.Array(
      Type.Object({
        account: nullable(Type.String({ description: 'Its name; null while it is not known whose they are.' })),
        samples: count('Samples that wait to be committed.'),
      }),
    ),
    failingJobs: Type.Array(
      Type.Object({
        name: Type.String({ description: 'What it does.', examples: ['summing up days'] }),
        sinceTimestamp: instant('Since when every run fails.'),
        failures: count('How many runs in a row have failed.'),
      }),
    ),
  },
  { title: 'Machine', description: 'Machine and database; null means that it cannot be known now.' },
)

export const Operation = Type.Object(
  {
    timestamp: instant('When this was asked, by the clock of the machine.'),
    parts: Type.Array(ServicePart),
    pendingSamples: count('Samples of this account that were received and are not stored yet.'),
    refused: Type.Array(RefusedSender, {
      description: 'The last first: all, to administrators of the first account, else of dongles of this account.',
    }),
    machine: Type.Union([Machine, Type.Null()], {
      description: 'Null to administrators of other accounts than the first.',
    }),
  },
  { title: 'Operation', description: 'How the service is.' },
)
export type Operation = Static<typeof Operation>
