import { SingleBar } from 'cli-progress'

/** Progress of a rebuild, on standard error: a bar on a terminal, nothing otherwise. */
interface RebuildProgress {
  step(): void
  /** Prints a line on standard output, beside the bar. */
  print(line: string): void
  stop(): void
}

/** @param devices how many there are to rebuild */
export function rebuildProgress(devices: number): RebuildProgress {
  const bar = process.stderr.isTTY
    ? new SingleBar({
        format: '{bar} {percentage}% | {value} of {total} devices | {eta_formatted} left',
        hideCursor: true,
        barsize: 30,
        clearOnComplete: true,
      })
    : undefined
  let done = 0
  bar?.start(devices, 0)
  return {
    step: () => bar?.update(++done),
    print(line) {
      bar?.stop()
      console.log(line)
      bar?.start(devices, done)
    },
    stop: () => bar?.stop(),
  }
}
