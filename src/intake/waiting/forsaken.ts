import type { Logger } from 'pino'
import type { Database } from '../../store/database.ts'
import { readForsakenLanes } from '../../store/fleet/kept-lanes.ts'
import { deriveLanes } from './derive-lanes.ts'

/** Longer than a keeper that runs lets anything wait, except when more arrives than it can take. */
const FORSAKEN_AFTER_S = 8

/**
 * Derives what waits in lanes whose keeper does not seem to run any more, lane by lane. Should it run nevertheless, it
 * finds that the lane is no longer its own. @returns how many lanes there were.
 */
export async function deriveForsaken(database: Database, log: Logger): Promise<number> {
  const { keeper } = database.waiting
  const lanes = await readForsakenLanes(database, { keeper, forS: FORSAKEN_AFTER_S })
  for (const lane of lanes) await deriveLanes(database, [lane], log)
  return lanes.length
}
