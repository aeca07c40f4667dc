import { type Finding, findingsOf } from './finding.ts'

interface ClockFacts {
  readonly nowMs: number
  /** The clock of the database minus ours; undefined where it was not asked. */
  readonly databaseAheadMs: number | undefined
  /** The newest revision minus the clock of the database. */
  readonly revisionAheadMs: number | undefined
  /** Whether the system keeps its clock by a time server; undefined where it does not tell. */
  readonly isSynchronized: boolean | undefined
}

/** Nobody runs this version before it was made. */
const MADE_MS = Date.UTC(2026, 0, 1)
/** Measurements may be so far in the future (README.md, *Send measurements*). */
const MOST_AHEAD_MS = 5 * 60_000
const NOTICEABLE_MS = 5_000

export function judgeClock({ nowMs, databaseAheadMs, revisionAheadMs, isSynchronized }: ClockFacts): Finding {
  const { fine, look, broken } = findingsOf('clock')
  const now = new Date(nowMs).toISOString().slice(0, 19)
  const set = 'Set the clock, and let a time server keep it (`timedatectl set-ntp true`, or chrony).'
  if (nowMs < MADE_MS) return broken(`The clock says ${now}Z, which is past.`, set)
  const apartMs = Math.abs(databaseAheadMs ?? 0)
  const apart = `The clock of the database is ${seconds(apartMs)} ${(databaseAheadMs ?? 0) > 0 ? 'ahead of' : 'behind'} this one.`
  if (apartMs > MOST_AHEAD_MS) return broken(apart, set)
  if (apartMs > NOTICEABLE_MS) return look(apart, set)
  if (revisionAheadMs !== undefined && revisionAheadMs > MOST_AHEAD_MS)
    return look(
      `The newest change in the database lies ${seconds(revisionAheadMs)} in the future: the clock was set back.`,
      'Check the clock. Clients that sync miss nothing: changes go on after the newest one.',
    )
  if (isSynchronized === false) return look(`The clock says ${now}Z, and no time server keeps it.`, set)
  return fine(`The clock says ${now}Z${isSynchronized ? ', kept by a time server' : ''}.`)
}

const seconds = (ms: number) => `${Math.round(ms / 1000).toLocaleString('en-US')} s`
