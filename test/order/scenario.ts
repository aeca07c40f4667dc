import fc from 'fast-check'
import type { DeviceId, Sample } from '../../src/intake/sample.ts'
import { disturb } from '../../src/simulation/disturbances/disturbance.ts'
import { randomRecording } from '../../src/simulation/random-recording.ts'
import { samplesOf } from '../../src/simulation/recording.ts'
import { delayed, interleaved, liveFirst, repeated, shuffled } from '../../src/simulation/uploads/disorder.ts'
import { iotUploads } from '../../src/simulation/uploads/iot-disorder.ts'
import { inPieces, type Packet, packetsOf } from '../../src/simulation/uploads/packets.ts'
import { DISTURBANCES, DONGLES } from '../simulated-drives.ts'

export type DisturbanceName = keyof typeof DISTURBANCES

/** How the packets of a dongle come out of order. */
export type Disorder = 'in order' | 'shuffled' | 'live first' | 'delayed' | 'iot'

/** Drives of a few dongles, and how they are uploaded. Everything follows from it. */
export interface Scenario {
  readonly seed: number
  readonly dongles: readonly (keyof typeof DONGLES)[]
  /** Drives of each dongle, in one car after the other. */
  readonly drivesByCar: readonly number[]
  readonly disturbances: readonly DisturbanceName[]
  readonly packetSize: number
  /** Share of the samples whose events come apart. */
  readonly inPieces: number
  readonly disorder: Disorder
  /** Share of the packets that come twice. */
  readonly repeated: number
  readonly connections: number
}

const anyName = <Name extends string>(names: Readonly<Record<Name, unknown>>) =>
  fc.constantFrom(...(Object.keys(names) as Name[]))

export const anyScenario: fc.Arbitrary<Scenario> = fc.record({
  seed: fc.nat({ max: 1_000_000 }),
  dongles: fc.array(anyName(DONGLES), { minLength: 1, maxLength: 3 }),
  drivesByCar: fc.constantFrom([3], [2, 1], [1, 1, 1]),
  disturbances: fc.uniqueArray(anyName(DISTURBANCES), { maxLength: 8 }).map(inOrderOfTable),
  packetSize: fc.constantFrom(7, 25, 100, 400),
  inPieces: fc.constantFrom(0, 0.2),
  disorder: fc.constantFrom<Disorder>('shuffled', 'shuffled', 'live first', 'delayed', 'iot'),
  repeated: fc.constantFrom(0, 0.2),
  connections: fc.integer({ min: 1, max: 4 }),
})

/** Disturbances of clocks come last. */
function inOrderOfTable(names: readonly DisturbanceName[]): DisturbanceName[] {
  return (Object.keys(DISTURBANCES) as DisturbanceName[]).filter(name => names.includes(name))
}

export interface Uploads {
  /** All samples of each dongle, in their order. */
  readonly inOrder: readonly (readonly Sample[])[]
  /** Of all dongles, as they are sent. */
  readonly packets: readonly Packet[]
}

const FROM_MS = Date.UTC(2025, 2, 3, 5)

/** @param firstDevice ids are counted from here. */
export function uploadsOf(scenario: Scenario, firstDevice: number): Uploads {
  const senders = scenario.dongles.map((name, i) => {
    const seed = scenario.seed * 10 + i
    const recording = randomRecording({
      deviceId: (firstDevice + i) as DeviceId,
      kind: DONGLES[name],
      fromMs: FROM_MS,
      drivesByCar: scenario.drivesByCar,
      seed,
      longestM: 6000,
    })
    const disturbances = scenario.disturbances.map(disturbance => DISTURBANCES[disturbance])
    return sent(scenario, samplesOf(disturb(recording, disturbances, seed)), seed)
  })
  const packets = interleaved(
    senders.map(sender => sender.packets),
    scenario.seed,
  )
  return { inOrder: senders.map(({ samples }) => samples), packets }
}

function sent(scenario: Scenario, samples: readonly Sample[], seed: number) {
  const { packetSize, disorder } = scenario
  if (disorder === 'iot') return iotUploads(samples, packetSize, seed)
  const pieces = inPieces(samples, scenario.inPieces, seed)
  const inOrder = packetsOf(disorder === 'shuffled' ? shuffled(pieces, seed) : pieces, packetSize)
  const placed =
    disorder === 'delayed'
      ? delayed(inOrder, 0.4, Math.ceil(inOrder.length * 0.3), seed)
      : disorder === 'live first'
        ? liveFirst(inOrder, Math.ceil(inOrder.length * 0.2))
        : inOrder
  return { samples, packets: repeated(placed, scenario.repeated, seed) }
}
