import { type DeviceId, type Sample, SampleLayout } from '../../src/model/sample.ts'
import { kindNamed } from '../simulation/kinds-of-dongles.ts'
import { randomRecording } from '../simulation/random-recording.ts'
import { samplesOf } from '../simulation/recording.ts'

/** Some 170 samples of each drive of a simulated car, a record every five seconds. It tells no VIN, so several dongles can have them. */
export function simulatedDrives(fromMs: number, drives = 30): readonly Sample[] {
  const recording = randomRecording({
    deviceId: 357302080000019 as DeviceId,
    kind: { ...kindNamed('everything').kind, readsVin: false, fixS: 5 },
    fromMs,
    drivesByCar: [drives],
    seed: 7,
  })
  // A gateway makes one list of types for all samples of a layout.
  return samplesOf(recording).map(sample => ({ ...sample, types: SampleLayout.of(sample.types).types }))
}
