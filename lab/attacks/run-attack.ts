import { setMaxListeners } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Attack, AttackSize, Doors } from './attack.ts'
import { brokenLimits, type Measurement } from './measurement.ts'
import type { AttackWorld } from './world.ts'

/** What the second tenant noticed of an attack. */
export interface AttackReport {
  readonly attack: Attack
  readonly measurements: readonly Measurement[]
  /** What the attack said of itself; nothing when it failed. */
  readonly outcome: string
  /** Why it could not do what it wanted, or was not answered as it should have been. */
  readonly failure: string | undefined
  /** Limits that were broken, in words. */
  readonly broken: readonly string[]
}

/** Each phase lasts until something was measured at every door of the second tenant, at least. */
interface Durations {
  /** With 0 there is no such phase: that everything works, the second tenant finds out when it begins. */
  readonly leastBeforeMs: number
  /** An attack that is done sooner is watched for this long all the same: what it left behind may work on. */
  readonly leastDuringMs: number
  /** Then the attack is told to end. */
  readonly mostDuringMs: number
  readonly leastAfterMs: number
  /** For an attack that was told to end. */
  readonly mostLettingGoMs: number
}

const DURATIONS: Readonly<Record<AttackSize, Durations>> = {
  small: { leastBeforeMs: 0, leastDuringMs: 150, mostDuringMs: 300, leastAfterMs: 0, mostLettingGoMs: 100_000 },
  full: {
    leastBeforeMs: 20_000,
    leastDuringMs: 30_000,
    mostDuringMs: 30_000,
    leastAfterMs: 10_000,
    mostLettingGoMs: 15_000,
  },
}

/** Lets one attack happen while the second tenant is watched. */
export async function runAttack(world: AttackWorld, attack: Attack, size: AttackSize): Promise<AttackReport> {
  const durations = DURATIONS[size]
  const { service, tenant, secondTenant } = world
  const doors = await world.doors()
  const { url, teltonikaPort } = service
  await secondTenant.watch({ url, teltonikaPort, tenant })
  if (durations.leastBeforeMs > 0) await Promise.all([secondTenant.enter('before'), sleep(durations.leastBeforeMs)])
  const [{ outcome = '', failure }] = await Promise.all([
    boundedRun(attack, doors, size),
    secondTenant.enter('during'),
    sleep(durations.leastDuringMs),
  ])
  await Promise.all([secondTenant.enter('after'), sleep(durations.leastAfterMs)])
  const measurements = await secondTenant.end()
  const broken = [...brokenLimits(measurements), ...(failure === undefined ? [] : [`the attack: ${failure}`])]
  return { attack, measurements, outcome, failure, broken }
}

async function boundedRun(
  attack: Attack,
  doors: Doors,
  size: AttackSize,
): Promise<{ readonly outcome?: string; readonly failure?: string }> {
  const { mostDuringMs, mostLettingGoMs } = DURATIONS[size]
  const end = new AbortController()
  // Every request of the attack listens.
  setMaxListeners(0, end.signal)
  const timer = setTimeout(() => end.abort(), mostDuringMs)
  const overdue = new AbortController()
  const tooLate = sleep(mostDuringMs + mostLettingGoMs, undefined, { signal: overdue.signal }).then(() => {
    throw new Error(`it went on for ${mostLettingGoMs / 1000} seconds after its time was up`)
  })
  try {
    return { outcome: await Promise.race([attack.run(doors, size, end.signal), tooLate]) }
  } catch (error) {
    return { failure: error instanceof Error ? error.message : String(error) }
  } finally {
    clearTimeout(timer)
    overdue.abort()
    end.abort()
  }
}
