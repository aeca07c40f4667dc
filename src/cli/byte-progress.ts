import { SingleBar } from 'cli-progress'

/** Progress of a copy, on standard error: a bar on a terminal, a line a step otherwise. */
interface ByteProgress {
  readonly show: (step: string, doneBytes: number, totalBytes: number) => void
  readonly end: () => void
}

export function beginBar(): ByteProgress {
  const bar = process.stderr.isTTY
    ? new SingleBar({
        format: '{step} {bar} {percentage}% of {total} MB | {eta_formatted} left',
        hideCursor: true,
        barsize: 30,
        clearOnComplete: true,
      })
    : undefined
  let last = ''
  return {
    show(step, doneBytes, totalBytes) {
      const [done, total] = [Math.floor(doneBytes / 2 ** 20), Math.ceil(totalBytes / 2 ** 20)]
      if (step !== last) {
        if (bar) bar.start(total, done, { step })
        else console.error(`${step} ${megabytes(totalBytes)}`)
      }
      last = step
      bar?.setTotal(total)
      bar?.update(done)
    },
    end: () => bar?.stop(),
  }
}

export const megabytes = (bytes: number) =>
  `${(bytes / 2 ** 20).toLocaleString('en-US', { maximumFractionDigits: bytes < 10 * 2 ** 20 ? 1 : 0 })} MB`
