import type { Logger } from 'pino'
import type { Database } from '../../db/database.ts'
import { readForsakenLanes } from '../../db/lanes/kept-lanes.ts'
import { deriveLanes } from './derive-lanes.ts'

/**
 * Derives what waits in lanes whose keeper does not run any more, lane by lane. Should it run nevertheless, it finds that
 * the lane is no longer its own. What this process left waiting under a former number is forsaken, too.
 * @returns how many lanes there were.
 */
export async function deriveForsaken(database: Database, log: Logger): Promise<number> {
  await database.keeperLock.releaseFormer(database.waiting.keeper)
  const lanes = await readForsakenLanes(database)
  for (const lane of lanes) await deriveLanes(database, [lane], log)
  return lanes.length
}
