import type { VedReplayReport } from './replay-ved.ts'

const count = (value: number) => value.toLocaleString('en-US')

/** What was sent and what became of it, in lines for the operator. The counts add up. */
export function summaryOf({ survey, totals, shiftMs, tookMs }: VedReplayReport): string {
  const samples = survey.rows - survey.emptyRows - survey.repeatedInstants
  const leftOut = [...survey.leftOut].filter(([, values]) => values > 0)
  const iso = (timeMs: number) => new Date(timeMs + shiftMs).toISOString()
  const lines = [
    [
      'recorded',
      `${count(survey.cars)} cars, ${count(survey.trips)} trips, ${iso(survey.firstMs)} to ${iso(survey.lastMs)}`,
    ],
    ['rows', `${count(survey.rows)}, of which ${count(survey.emptyRows)} hold nothing to send`],
    [
      'samples',
      `${count(samples)}; ${count(survey.repeatedInstants)} rows repeat an instant of their car: the server joins them`,
    ],
    [
      'events',
      `${count(totals.events)} sent = ${count(totals.accepted)} accepted + ${count(totals.duplicates)} duplicates`,
    ],
    ...(totals.maybeStored > 0
      ? [
          [
            '',
            `${count(totals.maybeStored)} requests failed and were sent again; what the first try had stored counts as duplicates`,
          ],
        ]
      : []),
    ...leftOut.map(([column, values], i) => [
      i ? '' : 'left out',
      `${count(values)} values of ${column}: no event type`,
    ]),
    ['time', `${(tookMs / 1000).toFixed(1)} s, ${count(Math.round((totals.events / tookMs) * 1000))} events/s`],
  ]
  return lines.map(([what = '', text = '']) => `${what.padEnd(10)}${text}`).join('\n')
}
