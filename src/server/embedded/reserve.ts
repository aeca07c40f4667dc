import { randomBytes } from 'node:crypto'
import { rm, stat, statfs, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pause } from '../../lib/clock.ts'
import { codeOrTextOf } from '../../model/errors.ts'
import { type EmbeddedLog, wholeMegabytes } from './location.ts'

const BLOCK_BYTES = 2 ** 20
/** At least a segment of the WAL, which in all takes no more between two checkpoints (`max_wal_size`). */
const [LEAST_BLOCKS, MOST_BLOCKS, SHARE] = [16, 512, 1 / 16]
/** Once it is short, so many times the reserve must be free: one for the file, two so that it is not short again at once. */
const ENOUGH = 3
const LOOK_EVERY_MS = 500

const reserveFile = (folder: string) => join(folder, 'reserve')

export const giveUpReserve = (folder: string) => rm(reserveFile(folder), { force: true })

/** Keeps the last of the disk for PostgreSQL: a file that is given up when it comes to that, while nothing more is
 * stored. Without room for its WAL it would stop, and could not even be read. @returns a function that ends it */
export function keepReserve(
  folder: string,
  log: EmbeddedLog,
  onShort: (isShort: boolean) => void,
): () => Promise<void> {
  const stop = new AbortController()
  let isShort = false

  async function look(): Promise<void> {
    const { bavail, blocks, bsize } = await statfs(folder)
    const count = Math.min(MOST_BLOCKS, Math.max(LEAST_BLOCKS, Math.floor((blocks * bsize * SHARE) / BLOCK_BYTES)))
    const reserves = (bavail * bsize) / (count * BLOCK_BYTES)
    if (reserves < 1 && !isShort) {
      onShort((isShort = true))
      const enough = wholeMegabytes(ENOUGH * count * BLOCK_BYTES)
      log.error({ folder }, `The disk is full: what is stored can be read, nothing is stored until ${enough} are free.`)
      await giveUpReserve(folder)
    } else if (reserves >= ENOUGH) {
      if (isShort) onShort((isShort = false))
      const isThere = await stat(reserveFile(folder)).catch(() => undefined)
      // Random, as some file systems store zeros in no room.
      if (!isThere) await writeFile(reserveFile(folder), Array<Buffer>(count).fill(randomBytes(BLOCK_BYTES)))
    }
  }

  async function keep(): Promise<void> {
    while (!stop.signal.aborted) {
      await look().catch(error => log.debug({ folder, why: codeOrTextOf(error) }, 'the reserve cannot be kept'))
      await pause(LOOK_EVERY_MS, stop.signal)
    }
  }
  const kept = keep()
  return () => {
    stop.abort()
    return kept
  }
}
