// `npm run accuracy`: measures how well drives of every kind of dongle are found, at every cadence, in this process.
import { parseArgs } from 'node:util'
import { measureCell } from '../src/cli/accuracy/cell.ts'
import { CADENCES_S, MEASURED_KINDS } from '../src/cli/accuracy/kinds.ts'

const { values } = parseArgs({
  options: {
    kinds: { type: 'string' },
    cadences: { type: 'string' },
    clean: { type: 'boolean' },
    disturbed: { type: 'boolean' },
    only: { type: 'string' },
    misses: { type: 'boolean', default: false },
    devices: { type: 'string', default: '10' },
    seed: { type: 'string', default: '1' },
  },
})
const kinds = MEASURED_KINDS.filter(({ name }) => !values.kinds || values.kinds.split(',').includes(name))
const cadences = values.cadences ? values.cadences.split(',').map(Number) : CADENCES_S
const states = [
  ...(values.disturbed && !values.clean ? [] : [false]),
  ...(values.clean && !values.disturbed ? [] : [true]),
]
const percent = (share: number, digits = 1) => `${(share * 100).toFixed(digits)}%`.padStart(8)
console.log('KIND                 EVERY  STATE      DRIVES TRIPS     F1     KM SUM  MEDIAN   FARTHEST')
for (const isDisturbed of states)
  for (const kind of kinds)
    for (const cadenceS of cadences) {
      const devices = Number(values.devices)
      const began = performance.now()
      const score = measureCell({
        kind,
        cadenceS,
        isDisturbed,
        devices,
        seed: Number(values.seed),
        ...(values.only && { disturbances: values.only.split(',') }),
      })
      console.log(
        `${kind.name.padEnd(20)} ${`${cadenceS}`.padStart(4)} s  ${isDisturbed ? 'disturbed' : 'clean    '}  ${String(score.drives).padStart(5)} ${String(score.found).padStart(5)}  ${score.f1.toFixed(4)} ${percent(score.distanceError)} ${percent(score.medianTripError)} ${score.farthestM === undefined ? '       -' : `${Math.round(score.farthestM)} m`.padStart(10)}  ${process.env.TIMES ? `${Math.round(performance.now() - began)} ms` : ''}`,
      )
      if (!values.misses) continue
      const time = (timeMs: number) => new Date(timeMs).toISOString().slice(5, 19)
      const byTime = score.misses.toSorted(
        (a, b) => a.device - b.device || (a.drive ?? a.trip)!.startMs - (b.drive ?? b.trip)!.startMs,
      )
      for (const { device, drive, trip } of byTime) {
        if (drive)
          console.log(
            `  device ${device}: missed ${time(drive.startMs)} to ${time(drive.endMs)}${drive.latestEndMs > drive.endMs ? ` (or ${time(drive.latestEndMs)})` : ''}, ${Math.round(drive.distanceM)} m`,
          )
        if (trip)
          console.log(
            `  device ${device}: found  ${time(trip.startMs)} to ${time(trip.endMs)}, ${trip.distanceM} m, ${trip.opened.rule} / ${trip.closed?.rule ?? 'open'}`,
          )
      }
    }
