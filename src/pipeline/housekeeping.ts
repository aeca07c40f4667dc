import { setMaxListeners } from 'node:events'
import type { Logger } from 'pino'
import { dropSecurityLinesBefore } from '../access/security-log/retention.ts'
import { earlierClockMs } from '../db/clock.ts'
import type { Database } from '../db/database.ts'
import { OlderProcesses } from '../db/older-processes.ts'
import { dropRejectedFramesBefore } from '../db/rejected-frames.ts'
import { dropUnusedLayouts } from '../db/samples/layouts.ts'
import { dropMisdatedBefore } from '../db/samples/misdated.ts'
import type { Partitions } from '../db/samples/partitions.ts'
import { othersShardsWait } from '../db/shards/kept-shards.ts'
import { type Statement, sql } from '../db/sql.ts'
import { writeTransaction } from '../db/transaction.ts'
import { QUESTIONS_WAIT } from '../facts/addresses/questions.ts'
import { ADDRESSES_WAIT } from '../facts/addresses/waiting.ts'
import { ACCOUNT_DAYS_WAIT, refreshAccountDays } from '../facts/days/refresh-account-days.ts'
import { DUE_DEVICES_WAIT } from '../facts/device-records/fold-states.ts'
import { REFOLDS_BY_RULES_WAIT } from '../facts/device-records/refolds.ts'
import { RULE_CHANGES_WAIT } from '../facts/incidents/rule-changes.ts'
import { sweepTombstones } from '../fleet/provisioning/sweep-tombstones.ts'
import { createAddressJobs, type GeocoderUse } from '../geo/address-jobs.ts'
import { type Clock, pause, SYSTEM_CLOCK } from '../lib/clock.ts'
import type { Backlog } from './backlog/backlog.ts'
import { watchBusyShare } from './backlog/busy-share.ts'
import { deriveOrphaned } from './backlog/orphaned.ts'
import type { JobFailures } from './job-failures.ts'
import { sweepOffline } from './online-sweep.ts'
import { Failing } from './out-of-order/failing.ts'
import { outOfOrderDevices, reconcileOutOfOrder } from './out-of-order/reconcile.ts'
import { type KnownSilence, tellSilence } from './out-of-order/silent-incidents.ts'
import { endSilentTrips } from './out-of-order/silent-trips.ts'
import { releaseStaleClaims } from './release-claims.ts'
import { type SealingOptions, sealHistory } from './sealing/seal-history.ts'
import { lowPriority } from './upgrade/pace.ts'
import { type RefoldObserver, RefoldProgress } from './upgrade/progress.ts'
import { refoldByRules } from './upgrade/refold-by-rules.ts'
import { refoldOutdated } from './upgrade/refold-outdated.ts'
import { WaitingWork } from './waiting-work.ts'

const SWEEP_INTERVAL_S = 10
/** Fewer than the connections for writing, so that samples still find one. */
const RECONCILE_PARALLEL = 3
const SILENCE_INTERVAL_S = 10
const REFOLD_INTERVAL_S = 10
const RETENTION_INTERVAL_S = 3600
const CLAIMS_INTERVAL_S = 600
const YEARS_INTERVAL_S = 3600
const SEALING_INTERVAL_S = 600
/** When the process is busier than this, refolding histories has to wait. */
const BUSY_FROM = 0.6
const DAY_MS = 24 * 3600 * 1000

interface HousekeepingOptions {
  readonly database: Database
  /** What this process remembers of what it has stored. */
  readonly backlog: Backlog
  readonly partitions: Partitions
  readonly onlineWindowS: number
  readonly retentionDays: number | undefined
  /** `SEALED_AFTER_DAYS`; undefined: nothing is sealed. */
  readonly sealedAfterDays: number | undefined
  readonly securityLogDays: number
  /** `CLAIM_DAYS` */
  readonly claimDays: number
  /** `TOMBSTONE_DAYS` */
  readonly tombstoneDays: number
  /** undefined when only the gazetteer is used. */
  readonly geocoder: GeocoderUse | undefined
  readonly log: Logger
  /** How long it took to fold the out-of-order samples of a device. */
  readonly observeReconciling: (seconds: number) => void
  readonly observeRefolding: RefoldObserver
  readonly observeSealing: SealingOptions['observe']
  readonly failures: JobFailures
  readonly clock?: Clock
}

/**
 * Starts the background jobs: out-of-order samples are folded, silent trips and incidents end, silent devices turn offline, days are summed
 * up, addresses are looked up, stale claims are released, histories are refolded after an upgrade or when rules changed, old days are
 * sealed, old weeks are merged and dropped.
 * @returns a function that stops them.
 */
export function startHousekeeping({
  database,
  backlog,
  partitions,
  onlineWindowS,
  retentionDays,
  sealedAfterDays,
  securityLogDays,
  claimDays,
  tombstoneDays,
  geocoder,
  log,
  observeReconciling,
  observeRefolding,
  observeSealing,
  failures,
  clock = SYSTEM_CLOCK,
}: HousekeepingOptions): () => Promise<void> {
  const stop = new AbortController()
  // Every pausing job adds a listener.
  setMaxListeners(0, stop.signal)
  const failing = new Failing(clock)
  const addresses = createAddressJobs(database, geocoder, log)
  const busyShare = watchBusyShare()
  const waiting = new WaitingWork(database, () => conditionsOf(geocoder, backlog.leaseOwner), stop.signal, clock)
  const due = outOfOrderDevices({ database, backlog, failing, clock })
  let reconciling = 0
  const refolding = {
    pace: lowPriority(() => reconciling > 0 || busyShare() >= BUSY_FROM, stop.signal),
    signal: stop.signal,
    failing: new Failing(clock),
    progress: new RefoldProgress(log, clock),
    log,
    observe: observeRefolding,
    backlog,
  }
  const knownSilence: KnownSilence = new Map()
  const byRules = { pace: refolding.pace, signal: stop.signal, failing: new Failing(clock), log, backlog }
  const jobs = [
    repeat(SWEEP_INTERVAL_S, 'online sweep', async () => {
      const turned = await sweepOffline(database, {
        windowS: onlineWindowS,
        intervalS: SWEEP_INTERVAL_S,
        backlog,
      })
      if (turned > 0) log.info({ devices: turned }, 'devices turned offline')
    }),
    ...Array.from({ length: RECONCILE_PARALLEL }, () =>
      whenWaiting('devices', 'folding out-of-order samples', async () => {
        reconciling++
        try {
          while (
            !stop.signal.aborted &&
            (await reconcileOutOfOrder({ database, backlog, failing, log, observe: observeReconciling, due })) > 0
          );
        } finally {
          reconciling--
        }
      }),
    ),
    repeat(SILENCE_INTERVAL_S, 'ending silent trips', async () => {
      const ended = await endSilentTrips(database, backlog)
      if (ended > 0) log.info({ trips: ended }, 'trips of silent devices ended')
    }),
    whenWaiting('othersShards', 'deriving what nobody remembers', async () => {
      const shards = await deriveOrphaned({ database, backlog, log })
      if (shards > 0) log.info({ shards }, 'derived what a process that ended had left waiting')
    }),
    whenWaiting('accountDays', 'summing up days', async () => {
      while (!stop.signal.aborted && (await refreshAccountDays(database)));
    }),
    repeat(SILENCE_INTERVAL_S, 'telling silence', async () => {
      const devices = await tellSilence(database, knownSilence, { backlog })
      if (devices > 0) log.info({ devices }, 'incidents of silent devices worked out')
    }),
    whenWaiting('rules', 'folding again by changed rules', async () => {
      const devices = await refoldByRules(database, byRules)
      if (devices > 0) log.info({ devices }, 'devices folded again by changed rules')
    }),
    repeat(REFOLD_INTERVAL_S, 'folding histories again', () => refoldOutdated(database, refolding)),
    repeat(YEARS_INTERVAL_S, 'merging weeks', async () => {
      const merged = await partitions.mergeYears()
      if (merged.length > 0) log.info({ merged }, 'put the weeks of past years into one table each')
    }),
    repeat(CLAIMS_INTERVAL_S, 'giving up claims', async () => {
      for (const { deviceId, accountId } of await releaseStaleClaims(database, claimDays))
        log.info({ deviceId, accountId }, 'gave up a dongle that an account had registered and that never reported')
    }),
    whenWaiting('addresses', 'filling in addresses', () => addresses.fillWaiting(stop.signal)),
    whenWaiting('questions', 'asking the geocoder', () => addresses.askGeocoder(stop.signal)),
  ]
  jobs.push(
    repeat(RETENTION_INTERVAL_S, 'retention of the security log', async () => {
      const beforeMs = clock.wallMs() - securityLogDays * DAY_MS
      const drop = () => writeTransaction(database, transaction => dropSecurityLinesBefore(transaction, beforeMs))
      while (!stop.signal.aborted && (await drop()) > 0);
    }),
    repeat(RETENTION_INTERVAL_S, 'sweeping what deleted dongles left', async () => {
      const beforeMs = clock.wallMs() - tombstoneDays * DAY_MS
      const sweep = () => writeTransaction(database, transaction => sweepTombstones(transaction, beforeMs))
      while (!stop.signal.aborted && (await sweep()) > 0);
    }),
  )
  if (sealedAfterDays !== undefined) {
    const { pace, signal } = refolding
    const older = new OlderProcesses(database.checks, clock)
    const observing = { log, clock, observe: observeSealing }
    const sealing = {
      afterDays: sealedAfterDays,
      partitions,
      pace,
      signal,
      failing: new Failing(clock),
      canAllRead: () => older.areGone(),
      ...observing,
    }
    jobs.push(
      repeat(SEALING_INTERVAL_S, 'sealing old days', async () => {
        const days = await sealHistory(database, sealing)
        if (days > 0) log.info({ days }, 'sealed old days')
      }),
    )
  }
  if (retentionDays !== undefined)
    jobs.push(
      repeat(RETENTION_INTERVAL_S, 'retention', async () => {
        const beforeMs = (await earlierClockMs(database, clock)) - retentionDays * DAY_MS
        const dropped = await partitions.dropBefore(beforeMs)
        const misdated = await writeTransaction(database, transaction => dropMisdatedBefore(transaction, beforeMs))
        const rejected = await writeTransaction(database, transaction =>
          dropRejectedFramesBefore(transaction, beforeMs),
        )
        const layouts = await dropUnusedLayouts(database)
        if (dropped.length > 0 || misdated > 0 || rejected > 0 || layouts > 0)
          log.info({ dropped, misdated, rejected, layouts }, 'dropped measurements beyond RETENTION_DAYS')
      }),
    )

  function repeat(intervalS: number, name: string, job: () => Promise<void>): Promise<void> {
    return again(name, job, () => pause(intervalS * 1000, stop.signal, clock))
  }

  /** What only commits give something to do. What failed is tried again even if nothing waits any more: it is told as failing until then. */
  function whenWaiting(kind: Waiting, name: string, job: () => Promise<void>): Promise<void> {
    return again(name, job, hasFailed => (hasFailed ? waiting.nextLook() : waiting.next(kind)))
  }

  async function again(
    name: string,
    job: () => Promise<void>,
    rest: (hasFailed: boolean) => Promise<void>,
  ): Promise<void> {
    while (!stop.signal.aborted) {
      let hasFailed = false
      try {
        await job()
        failures.succeeded(name)
      } catch (error) {
        hasFailed = true
        failures.failed(name)
        log.warn({ err: error, job: name }, `${name} failed; it will be tried again`)
      }
      await rest(hasFailed)
    }
  }

  return async () => {
    stop.abort()
    await Promise.all([...jobs, waiting.close()])
  }
}

type Waiting = 'devices' | 'accountDays' | 'rules' | 'addresses' | 'questions' | 'othersShards'

function conditionsOf(geocoder: GeocoderUse | undefined, leaseOwner: number): Readonly<Record<Waiting, Statement>> {
  return {
    devices: DUE_DEVICES_WAIT,
    accountDays: ACCOUNT_DAYS_WAIT,
    rules: sql`(${RULE_CHANGES_WAIT} or ${REFOLDS_BY_RULES_WAIT})`,
    addresses: ADDRESSES_WAIT,
    questions: geocoder ? QUESTIONS_WAIT : sql`false`,
    othersShards: othersShardsWait(leaseOwner),
  }
}
