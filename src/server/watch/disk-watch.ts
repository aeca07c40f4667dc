import { statfs } from 'node:fs/promises'
import type { Connection } from '../../db/database.ts'
import type { Clock } from '../../lib/clock.ts'
import { readDataDirectory } from './database-figures.ts'
import { daysLeft, type FreeSpace } from './disk-forecast.ts'

/** The disk of the database. */
export interface DiskState {
  /** For programs that are not root's. */
  readonly freeBytes: number
  readonly sizeBytes: number
  /** Until it is full; undefined while too little is known, and when it does not fill. */
  readonly daysLeft: number | undefined
}

const SAMPLE_EVERY_MS = 10 * 60_000
const REMEMBERED_MS = 7 * 86_400_000

/**
 * Watches how the disk of the database fills, which must be on this machine: Tacho reaches it through a socket. It remembers a week,
 * and begins anew with the process.
 */
export class DiskWatch {
  readonly #connection: Connection
  /** Whether the database is on this machine. */
  readonly isHere: boolean
  readonly #clock: Clock
  #folder: string | undefined
  #samples: FreeSpace[] = []

  constructor(connection: Connection, databaseUrl: string | undefined, clock: Clock) {
    this.#connection = connection
    this.isHere = isReachedBySocket(databaseUrl)
    this.#clock = clock
  }

  /** @returns undefined when the database is elsewhere, or its folder can not be known. */
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
