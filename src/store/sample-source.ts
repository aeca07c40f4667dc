import type { Connection } from '../db/database.ts'
import type { Layouts } from '../db/layouts.ts'

/** Where samples are read: in a transaction, or outside, with the state at the time of each query. */
export interface SampleSource extends Connection {
  readonly layouts: Layouts
}
