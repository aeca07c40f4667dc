import type { DeviceId, Sample } from '../src/model/sample.ts'
import { SampleLayout } from '../src/model/sample-layout.ts'
import { kindNamed } from '../src/tools/simulation/kinds-of-dongles.ts'
import { randomRecording } from '../src/tools/simulation/random-recording.ts'
import { samplesOf } from '../src/tools/simulation/recording.ts'

const DRIVES = 30

/** Some 5,000 samples of a simulated car, a record every five seconds while it drives. It tells no VIN, so several dongles can have them. */
export function simulatedDrives(fromMs: number): readonly Sample[] {
  const recording = randomRecording({
    deviceId: 357302080000019 as DeviceId,
    kind: { ...kindNamed('everything').kind, readsVin: false, fixS: 5 },
    fromMs,
    drivesByCar: [DRIVES],
    seed: 7,
  })
  // A gateway makes one list of types for all samples of a layout.
  return samplesOf(recording).map(sample => ({ ...sample, types: SampleLayout.of(sample.types).types }))
}
