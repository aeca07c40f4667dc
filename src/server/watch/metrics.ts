import { Gauge, type Registry } from 'prom-client'
import type { MachineFigures, MachineWatch } from './machine-watch.ts'

/** More standbys than anybody has; others are left out, so that a mistake cannot make ever new series. */
const MOST_STANDBYS = 16

/** Without a value, the metric is not there at all: nothing is known, and nothing is 0. */
type GaugeValue = number | undefined | readonly (readonly [label: string, value: number | undefined])[]

/** Metrics of the machine, its disk and its database. They are read when they are scraped, and cost nothing otherwise. */
export function observeMachine(registry: Registry, watch: Pick<MachineWatch, 'figures'>): void {
  const gauge = (name: string, help: string, valueOf: (figures: MachineFigures) => GaugeValue, label?: string) =>
    new Gauge<string>({
      name,
      help,
      labelNames: label === undefined ? [] : [label],
      registers: [registry],
      async collect() {
        const value = valueOf(await watch.figures())
        this.reset()
        // A gauge without labels has a value from the start.
        if (label === undefined) this.remove()
        const values = typeof value === 'object' ? value : [['', value] as const]
        for (const [text, number] of values) {
          if (number === undefined) continue
          if (label === undefined) this.set(number)
          else this.set({ [label]: text }, number)
        }
      },
    })
  const ofStandbys = (figure: 'lagBytes' | 'lagSeconds') => (figures: MachineFigures) =>
    (figures.standbys ?? []).slice(0, MOST_STANDBYS).map(standby => [standby.name, standby[figure]] as const)
  gauge(
    'tacho_underived_seconds',
    'For how long the oldest stored record has been waiting to be derived, on all nodes.',
    figures => figures.underivedSeconds,
  )
  gauge(
    'tacho_processes',
    'Processes of all nodes that are connected to the database, by their role.',
    ({ processes }) =>
      ['api', 'intake'].map(role => [role, processes?.filter(process => process.role === role).length] as const),
    'process',
  )
  gauge('tacho_replication_standbys', 'Servers that follow the database.', figures => figures.standbys?.length)
  gauge('tacho_replication_lag_bytes', 'What a standby has not replayed yet.', ofStandbys('lagBytes'), 'standby')
  gauge(
    'tacho_replication_lag_seconds',
    'How long ago the newest commit was made that a standby has replayed, while it has not replayed all.',
    ofStandbys('lagSeconds'),
    'standby',
  )
  gauge('tacho_database_size_bytes', 'Size of the database.', figures => figures.databaseBytes)
  gauge(
    'tacho_clock_difference_seconds',
    'By how much the clock of this machine is ahead of that of the database.',
    figures => figures.clockDifferenceS,
  )
  gauge(
    'tacho_disk_free_bytes',
    'Free space on the disk of the database, if that is on this machine.',
    ({ disk }) => disk?.freeBytes,
  )
  gauge('tacho_disk_size_bytes', 'Size of that disk.', ({ disk }) => disk?.sizeBytes)
  gauge(
    'tacho_disk_days_left',
    'Days until that disk is full if it fills as in the last week; not there while it does not fill, and in the first hour.',
    ({ disk }) => disk?.daysLeft,
  )
}
