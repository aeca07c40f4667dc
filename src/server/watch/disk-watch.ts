import { statfs } from 'node:fs/promises'
import { type Connection, sql } from '../../db/sql.ts'
import type { Clock } from '../../lib/clock.ts'
import { DAY_MS } from '../../model/time-range.ts'

export interface DiskState {
  /** For programs that are not root's. */
  readonly freeBytes: number
  readonly sizeBytes: number
  /** Until it is full; undefined while too little is known, and when it does not fill. */
  readonly daysLeft: number | undefined
}

const SAMPLE_EVERY_MS = 10 * 60_000
const REMEMBERED_MS = 7 * 86_400_000

/** Watches how the disk of the database fills, if that is on this machine. It remembers a week. */
export class DiskWatch {
  readonly #connection: Connection
  /** The database is on this machine. */
  readonly isHere: boolean
  readonly #clock: Clock
  #folder: string | undefined
  #samples: FreeSpace[] = []

  constructor(connection: Connection, databaseUrl: string | undefined, clock: Clock) {
    this.#connection = connection
    this.isHere = isReachedBySocket(databaseUrl)
    this.#clock = clock
  }

  /** @returns undefined when the database is elsewhere, or its folder cannot be known. */
  async read(): Promise<DiskState | undefined> {
    if (!this.isHere) return undefined
    try {
      this.#folder ??= await readDataDirectory(this.#connection)
      if (this.#folder === undefined) return undefined
      const { bavail, blocks, bsize } = await statfs(this.#folder)
      const freeBytes = bavail * bsize
      this.#remember(freeBytes)
      return { freeBytes, sizeBytes: blocks * bsize, daysLeft: daysLeft(this.#samples) }
    } catch {
      // Without the database, or without the right to enter the folder, nothing can be said.
      return undefined
    }
  }

  #remember(freeBytes: number): void {
    const atMs = this.#clock.monotonicMs()
    const newest = this.#samples.at(-1)
    if (newest && atMs < newest.atMs + SAMPLE_EVERY_MS) return
    this.#samples = [...this.#samples.filter(sample => atMs < sample.atMs + REMEMBERED_MS), { atMs, freeBytes }]
  }
}

function isReachedBySocket(databaseUrl: string | undefined): boolean {
  if (databaseUrl === undefined || !URL.canParse(databaseUrl)) return false
  const { searchParams, hostname } = new URL(databaseUrl)
  return (searchParams.get('host') ?? decodeURIComponent(hostname)).startsWith('/')
}

export interface FreeSpace {
  readonly atMs: number
  readonly freeBytes: number
}

/** A shorter time says little: PostgreSQL reserves its log in steps of 16 MB, and gives tables back in larger ones. */
export const SHORTEST_SPAN_MS = 3600_000
/** Whatever fills more slowly than this does not fill: nothing can be said of a time so far off. */
const MOST_DAYS = 3650
const MOST_POINTS = 150

/** The median of the slopes between all pairs of samples, ascending by time (Theil and Sen).
 * @returns undefined while too little is known, and when the disk does not fill */
export function daysLeft(samples: readonly FreeSpace[]): number | undefined {
  const newest = samples.at(-1)
  const bytesPerMs = usedPerMs(samples)
  if (!newest || bytesPerMs === undefined || bytesPerMs <= 0) return undefined
  const days = newest.freeBytes / bytesPerMs / DAY_MS
  return days <= MOST_DAYS ? days : undefined
}

function usedPerMs(samples: readonly FreeSpace[]): number | undefined {
  const [oldest, newest] = [samples[0], samples.at(-1)]
  if (!oldest || !newest || newest.atMs - oldest.atMs < SHORTEST_SPAN_MS) return undefined
  const points = thinned(samples)
  const slopes = points.flatMap((later, index) =>
    points
      .slice(0, index)
      .flatMap(earlier =>
        later.atMs > earlier.atMs ? [(earlier.freeBytes - later.freeBytes) / (later.atMs - earlier.atMs)] : [],
      ),
  )
  slopes.sort((a, b) => a - b)
  return slopes[Math.floor(slopes.length / 2)]
}

function thinned(samples: readonly FreeSpace[]): readonly FreeSpace[] {
  const step = Math.ceil(samples.length / MOST_POINTS)
  return samples.filter((_, index) => (samples.length - 1 - index) % step === 0)
}

/** The folder of the database; undefined when the role of Tacho may not know it. */
async function readDataDirectory(connection: Connection): Promise<string | undefined> {
  const [row] = await connection.rows<{ setting: string | null }>(
    sql`select setting from pg_settings where name = 'data_directory'`,
  )
  return row?.setting ?? undefined
}
