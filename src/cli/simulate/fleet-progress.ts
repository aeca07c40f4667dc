import { SingleBar } from 'cli-progress'

/** How often a line is printed where there is no terminal to draw on. */
const LINE_EVERY_MS = 10_000
/** Steps of the bar. */
const STEPS = 1000

export interface FleetProgress {
  /** A dongle is that much further. */
  passed(ms: number): void
  acknowledged(records: number): void
  trouble(why: string): void
  /** May be called again. */
  stop(): void
}

/** A bar on standard error with how much of its past a fleet has sent; without a terminal a line now and then. */
export function fleetProgress({
  dongles,
  spanMs,
}: {
  readonly dongles: number
  readonly spanMs: number
}): FleetProgress {
  const bar = new SingleBar({
    format: '  {bar} {percentage}% | {records} records | {perS}/s | {eta_formatted} left{note}',
    noTTYOutput: true,
    notTTYSchedule: LINE_EVERY_MS,
    hideCursor: true,
    clearOnComplete: true,
    barsize: 30,
    etaBuffer: 50,
  })
  const startMs = performance.now()
  const count = (number: number) => Math.round(number).toLocaleString('en-US')
  let passedMs = 0
  let records = 0
  const update = (note: string) => {
    const tookS = Math.max(0.001, (performance.now() - startMs) / 1000)
    const step = Math.min(STEPS, Math.floor((passedMs / (dongles * spanMs)) * STEPS))
    if (bar.isActive) bar.update(step, { records: count(records), perS: count(records / tookS), note })
  }
  bar.start(STEPS, 0, { records: 0, perS: 0, note: '' })
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
