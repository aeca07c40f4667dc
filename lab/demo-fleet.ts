import type { Command } from 'commander'
import { readConfig } from '../src/config.ts'
import { type Connection, sql } from '../src/db/sql.ts'
import { pause } from '../src/lib/clock.ts'
import { OperatorError } from '../src/model/errors.ts'
import { withDatabase } from '../src/server/database.ts'
import { awaitStop, type ChildMessage, processLog } from '../src/server/process.ts'
import { FIRM_CARS } from './demo-firm.ts'
import { paceOf, runFleet } from './simulate/run-fleet.ts'
import { readTeltonikaAddress, type TeltonikaAddress, teltonikaUplinks } from './simulate/uplinks.ts'
import type { FleetFault } from './simulation/fleet/fleet-faults.ts'
import { type VirtualDongle, virtualFleet } from './simulation/fleet/virtual-fleet.ts'

const HISTORY_MS = 7 * 86_400_000
/** With these, no dongle sends a sample with a time in the future. */
const FAULTS: ReadonlySet<FleetFault> = new Set(['tunnel', 'duplicates', 'reboot'])

export const demoFleet = (): readonly VirtualDongle[] =>
  virtualFleet({ vehicles: FIRM_CARS.length, seed: 1, faults: FAULTS, roles: FIRM_CARS })

interface DemoFleetOptions {
  readonly address: TeltonikaAddress
  /** Dongles that have reported nothing yet begin after this time. */
  readonly beginMs: number
  readonly newestMs: ReadonlyMap<number, number>
  readonly signal: AbortSignal
  readonly print: (line: string) => void
}

/** First the past, then in real time. After a restart each dongle goes on after its newest sample that is stored. */
export async function runDemoFleet({ address, beginMs, newestMs, signal, print }: DemoFleetOptions): Promise<void> {
  const fleet = demoFleet()
  await runFleet({
    fleet,
    fromMs: ({ dongle }) => (newestMs.get(dongle.deviceId) ?? beginMs + 1) - 1,
    untilMs: Number.POSITIVE_INFINITY,
    pace: paceOf({ fromMs: beginMs, speedup: undefined }),
    // More than a real dongle sends at once, so that the past week is there soon.
    packetRecords: 100,
    uplinks: options => teltonikaUplinks(address, options),
    signal,
    truth: undefined,
    onLive({ records, tookMs }) {
      const past = `${records.toLocaleString('en-US')} measurements of the past in ${Math.ceil(tookMs / 1000)} s`
      print(`  ${fleet.length} made-up cars drive (${past}).\n`)
    },
  })
}

export async function readNewest(connection: Connection): Promise<Map<number, number>> {
  const rows = await connection.rows<{ device_id: number; newest_ms: number }>(sql`
    select device_id, floor(extract(epoch from last_time) * 1000)::float8 as newest_ms
    from device_states where last_time is not null`)
  return new Map(rows.map(row => [row.device_id, row.newest_ms]))
}

/** `tacho demo-fleet`: `npm start` runs it in a separate process, which the supervisor keeps alive. */
export function registerDemoFleet(program: Command): void {
  program
    .command('demo-fleet', { hidden: true })
    .requiredOption('--teltonika <host:port>', 'where dongles report', readTeltonikaAddress)
    .action(async ({ teltonika }: { teltonika: TeltonikaAddress }) => {
      const { databaseUrl, logLevel } = readConfig()
      if (!databaseUrl) throw new OperatorError('The demonstration is started by `npm start`.')
      const signal = awaitStop(processLog('demo fleet', { logLevel }), STOP_LIMIT_MS)
      const newestMs = await untilAnswered(() => withDatabase(databaseUrl, readNewest), signal)
      const message: ChildMessage = { type: 'working' }
      process.send?.(message)
      const beginMs = Date.now() - HISTORY_MS
      const print = (line: string) => console.log(line)
      if (newestMs) await runDemoFleet({ address: teltonika, beginMs, newestMs, signal, print })
      if (process.connected) process.disconnect()
    })
}

const STOP_LIMIT_MS = 8000
const TRY_AGAIN_MS = 1000

/** The database may be restarting. @returns undefined when the signal aborts. */
async function untilAnswered<T>(ask: () => Promise<T>, signal: AbortSignal): Promise<T | undefined> {
  while (!signal.aborted) {
    try {
      return await ask()
    } catch {
      await pause(TRY_AGAIN_MS, signal)
    }
  }
  return undefined
}
