import { SingleBar } from 'cli-progress'

/** How often a line is printed without a terminal. */
const LINE_EVERY_MS = 10_000
/** Steps of the bar. */
const STEPS = 1000

interface FleetProgress {
  /** A dongle is that much further. */
  passed(ms: number): void
  acknowledged(records: number): void
  trouble(why: string): void
  /** May be called again. */
  stop(): void
}

/**
 * Shows on standard error how much of its past a fleet has sent: a bar, or a line now and then without a terminal.
 * @param spanMs the pasts of all dongles together
 */
export function fleetProgress(spanMs: number): FleetProgress {
  const bar = new SingleBar({
    format: '  {bar} {percentage}% | {records} records | {perS}/s{left}{note}',
    noTTYOutput: true,
    notTTYSchedule: LINE_EVERY_MS,
    hideCursor: true,
    clearOnComplete: true,
    barsize: 30,
    barCompleteChar: '█',
    barIncompleteChar: '░',
  })
  const startMs = performance.now()
  const count = (number: number) => Math.round(number).toLocaleString('en-US')
  let passedMs = 0
  let records = 0
  const update = (note: string) => {
    const tookS = Math.max(0.001, (performance.now() - startMs) / 1000)
    const share = Math.min(1, passedMs / Math.max(1, spanMs))
    const left = share > 0 ? ` | ${count(Math.ceil((tookS * (1 - share)) / share))} s left` : ''
    const step = Math.floor(share * STEPS)
    if (bar.isActive) bar.update(step, { records: count(records), perS: count(records / tookS), left, note })
  }
  bar.start(STEPS, 0, { records: 0, perS: 0, left: '', note: '' })
  return {
    passed(ms) {
      passedMs += ms
      update('')
    },
    acknowledged(number) {
      records += number
      update('')
    },
    trouble: why => update(` | ${why}, trying again`),
    stop() {
      if (bar.isActive) bar.stop()
    },
  }
}
