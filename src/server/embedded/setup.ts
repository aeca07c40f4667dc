import { OperatorError } from '../../model/errors.ts'
import type { Binaries } from './binaries.ts'
import type { DatabaseLocation } from './location.ts'
import type { EmbeddedLog } from './log.ts'

/** Everything that stays the same from one run of PostgreSQL to the next. */
export interface Setup {
  readonly location: DatabaseLocation
  readonly binaries: Binaries
  readonly socketFolder: string
  readonly log: EmbeddedLog
}

/** The folder belongs to another process; trying again would not help. */
export class FolderInUse extends OperatorError {
  constructor(location: DatabaseLocation, pid?: number) {
    const whose = pid ? ` (its PostgreSQL is process ${pid})` : ''
    super(
      `The data folder ${location.folder} is in use by another Tacho${whose}: stop that one, or choose another folder with TACHO_DATA.`,
    )
  }
}

/** How long we wait for another process that starts, stops or recovers in the same folder. */
export const PATIENCE_MS = 60_000
export const PAUSE_MS = 100
