import { Gauge, type Registry } from 'prom-client'
import type { MachineFigures, MachineWatch } from './machine-watch.ts'

/** More standbys than anybody has; others are left out, so that a mistake cannot make ever new series. */
const MOST_STANDBYS = 16

interface MachineGauge<Label extends string> {
  readonly name: string
  readonly help: string
  readonly labelNames?: readonly Label[]
  /** Without any, the metric is not there at all: nothing is known, and nothing is 0. */
  readonly values: (figures: MachineFigures) => readonly MachineValue<Label>[]
}

interface MachineValue<Label extends string> {
  readonly labels?: Readonly<Record<Label, string>>
  readonly value: number | undefined
}

const only = (value: number | undefined) => [{ value }]
const ofStandbys =
  (figure: 'lagBytes' | 'lagSeconds') =>
  ({ standbys = [] }: MachineFigures) =>
    standbys.slice(0, MOST_STANDBYS).map(standby => ({ labels: { standby: standby.name }, value: standby[figure] }))

/** Metrics of the machine, its disk and its database. They are read when they are scraped, and cost nothing otherwise. */
export function observeMachine(registry: Registry, watch: Pick<MachineWatch, 'figures'>): void {
  const add = <Label extends string = never>(gauge: MachineGauge<Label>) =>
    registry.registerMetric(gaugeOf(watch, gauge))
  add({
    name: 'tacho_underived_seconds',
    help: 'For how long the oldest stored record has been waiting to be derived, on all nodes.',
    values: ({ underivedSeconds }) => only(underivedSeconds),
  })
  add({
    name: 'tacho_processes',
    help: 'Processes of all nodes that are connected to the database, by their role.',
    labelNames: ['process'],
    values: ({ processes }) =>
      processes === undefined
        ? []
        : (['api', 'intake'] as const).map(role => ({
            labels: { process: role },
            value: processes.filter(process => process.role === role).length,
          })),
  })
  add({
    name: 'tacho_replication_standbys',
    help: 'Servers that follow the database.',
    values: ({ standbys }) => only(standbys?.length),
  })
  add({
    name: 'tacho_replication_lag_bytes',
    help: 'What a standby has not replayed yet.',
    labelNames: ['standby'],
    values: ofStandbys('lagBytes'),
  })
  add({
    name: 'tacho_replication_lag_seconds',
    help: 'How long ago the newest commit was made that a standby has replayed, while it has not replayed all.',
    labelNames: ['standby'],
    values: ofStandbys('lagSeconds'),
  })
  add({
    name: 'tacho_database_size_bytes',
    help: 'Size of the database.',
    values: ({ databaseBytes }) => only(databaseBytes),
  })
  add({
    name: 'tacho_clock_difference_seconds',
    help: 'By how much the clock of this machine is ahead of that of the database.',
    values: ({ clockDifferenceS }) => only(clockDifferenceS),
  })
  add({
    name: 'tacho_disk_free_bytes',
    help: 'Free space on the disk of the database, if that is on this machine.',
    values: ({ disk }) => only(disk?.freeBytes),
  })
  add({
    name: 'tacho_disk_size_bytes',
    help: 'Size of that disk.',
    values: ({ disk }) => only(disk?.sizeBytes),
  })
  add({
    name: 'tacho_disk_days_left',
    help: 'Days until that disk is full if it fills as in the last week; not there while it does not fill, and in the first hour.',
    values: ({ disk }) => only(disk?.daysLeft),
  })
}

function gaugeOf<Label extends string>(
  watch: Pick<MachineWatch, 'figures'>,
  { name, help, labelNames = [], values }: MachineGauge<Label>,
): Gauge<Label> {
  return new Gauge<Label>({
    name,
    help,
    labelNames: [...labelNames],
    registers: [],
    async collect() {
      const known = values(await watch.figures())
      this.reset()
      // A gauge without labels has a value from the start.
      if (labelNames.length === 0) this.remove()
      for (const { labels, value } of known) {
        if (value === undefined) continue
        if (labels) this.set(labels, value)
        else this.set(value)
      }
    },
  })
}
