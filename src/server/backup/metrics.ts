import { Gauge, type Registry } from 'prom-client'
import { listBases } from './bases.ts'
import { backupPartsOf, madeAt } from './folder.ts'
import { listLines, readArchived } from './wal-line.ts'

/**
 * Metrics of the backups in a folder, read when they are asked for. Where there are none yet, they count from when the folder was
 * made, or from now.
 */
export function observeBackups(registry: Registry, path: string): void {
  const folder = backupPartsOf(path)
  const nowMs = Date.now()
  const age = async (timesMs: readonly number[]) => {
    const newestMs = timesMs.length > 0 ? Math.max(...timesMs) : ((await madeAt(folder)) ?? nowMs)
    return Math.max(0, Date.now() - newestMs) / 1000
  }
  registry.registerMetric(
    new Gauge({
      name: 'tacho_backup_age_seconds',
      help: 'Seconds since the newest backup was finished and checked.',
      registers: [],
      async collect() {
        this.set(await age(await listBases(folder).catch(() => [])))
      },
    }),
  )
  registry.registerMetric(
    new Gauge({
      name: 'tacho_backup_wal_lag_seconds',
      help: 'Seconds up to now of which the changes are not known to be in the archive: what would be lost with the disk.',
      registers: [],
      async collect() {
        const lines = await listLines(folder).catch(() => [])
        const archived = await Promise.all(lines.map(line => readArchived(folder, line).catch(() => undefined)))
        this.set(await age(archived.flatMap(item => (item ? [item.untilMs] : []))))
      },
    }),
  )
}
