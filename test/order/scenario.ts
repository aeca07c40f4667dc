import fc from 'fast-check'
import { chance } from '../../lab/simulation/chance.ts'
import type { DisturbanceName } from '../../lab/simulation/disturbances/all-disturbances.ts'
import { disturb } from '../../lab/simulation/disturbances/disturbance.ts'
import { randomRecording } from '../../lab/simulation/random-recording.ts'
import { type Recording, samplesOf } from '../../lab/simulation/recording.ts'
import type { DeviceId, Sample } from '../../src/model/sample.ts'
import { IS_DEEP } from '../deep.ts'
import { DISTURBANCES, DONGLES, EDGE_DONGLES } from '../simulated-drives.ts'
import {
  delayed,
  inPieces,
  interleaved,
  iotUploads,
  liveFirst,
  type Packet,
  packetsOf,
  repeated,
  shuffled,
} from './uploads.ts'

/** Longer drives have more samples, and rarely anything else: what happens at their ends is looked for. */
const LONGEST_DRIVE_M = IS_DEEP ? 6000 : 2500

const ALL_DONGLES = { ...DONGLES, ...EDGE_DONGLES }

/** How the packets of a dongle come out of order. */
export type Disorder = 'shuffled' | 'live first' | 'delayed' | 'some late' | 'iot'

/** Drives of a few dongles, and how they are uploaded. Everything follows from it. */
export interface Scenario {
  readonly seed: number
  /** Where the first day begins. */
  readonly from: string
  readonly dongles: readonly (keyof typeof ALL_DONGLES)[]
  /** Drives of each dongle, in one car after the other. */
  readonly drivesByCar: readonly number[]
  /** The dongles come into the same cars, each in another order. */
  readonly sharesCars: boolean
  /** The dongles are in the same cars at once, so that all tell of the same drives. */
  readonly ridesAlong: boolean
  readonly disturbances: readonly DisturbanceName[]
  readonly packetSize: number
  /** Share of the samples whose events come apart. */
  readonly inPieces: number
  readonly disorder: Disorder
  /** Share of the packets that come twice. */
  readonly repeated: number
  readonly connections: number
  /** How often the upload rests until everything is settled. */
  readonly rests: number
}

/** An ordinary day, the end of a year, and a night in which clocks are put forward. */
const DAYS = ['2025-03-04T05:00Z', '2024-12-31T21:30Z', '2025-03-29T22:00Z'] as const

const anyName = <Name extends string>(names: Readonly<Record<Name, unknown>>) =>
  fc.constantFrom(...(Object.keys(names) as Name[]))

export const anyScenario: fc.Arbitrary<Scenario> = fc.record({
  seed: fc.nat({ max: 1_000_000 }),
  from: fc.constantFrom(...DAYS),
  dongles: fc.array(anyName(ALL_DONGLES), { minLength: 1, maxLength: 3 }),
  drivesByCar: fc.constantFrom([3], [2, 1], [1, 1, 1], [5, 3]),
  sharesCars: fc.boolean(),
  ridesAlong: fc.boolean(),
  disturbances: fc.uniqueArray(anyName(DISTURBANCES), { maxLength: 8 }).map(inOrderOfTable),
  packetSize: fc.constantFrom(7, 25, 100, 400),
  inPieces: fc.constantFrom(0, 0.2),
  disorder: fc.constantFrom<Disorder>('shuffled', 'live first', 'delayed', 'some late', 'some late', 'iot'),
  repeated: fc.constantFrom(0, 0.2),
  connections: fc.integer({ min: 1, max: 4 }),
  rests: fc.constantFrom(0, 0, 1, 2),
})

/** Disturbances of clocks come last. */
function inOrderOfTable(names: readonly DisturbanceName[]): DisturbanceName[] {
  return (Object.keys(DISTURBANCES) as DisturbanceName[]).filter(name => names.includes(name))
}

export interface Uploads {
  /** All samples of each dongle, in their order. */
  readonly inOrder: readonly (readonly Sample[])[]
  /** Of all dongles, as they are sent; everything is settled in between. */
  readonly parts: readonly (readonly Packet[])[]
}

interface UploadOptions {
  /** Ids of devices are counted from here. */
  readonly firstDevice: number
  /** The samples are moved and cut so that they end at this time, while the last drive goes on. */
  readonly untilMs?: number
}

export function uploadsOf(scenario: Scenario, { firstDevice, untilMs }: UploadOptions): Uploads {
  const senders = scenario.dongles.map((name, i) => {
    const seed = scenario.seed * 10 + i
    const recording = randomRecording({
      deviceId: (firstDevice + i) as DeviceId,
      kind: ALL_DONGLES[name],
      fromMs: Date.parse(scenario.from),
      drivesByCar: scenario.drivesByCar,
      seed: scenario.ridesAlong ? scenario.seed * 10 : seed,
      longestM: LONGEST_DRIVE_M,
      ...(scenario.sharesCars && { cars: carsOf(scenario, i) }),
    })
    const disturbances = scenario.disturbances.map(disturbance => DISTURBANCES[disturbance])
    const disturbed = disturb(recording, disturbances, seed)
    const samples = untilMs === undefined ? samplesOf(disturbed) : drivingUntil(disturbed, untilMs)
    return sent(scenario, samples, seed)
  })
  const onTime = interleaved(
    senders.map(({ packets }) => packets),
    scenario.seed,
  )
  const late = interleaved(
    senders.map(sender => sender.late),
    scenario.seed,
  )
  return {
    inOrder: senders.map(({ samples }) => samples),
    parts: [...packetsOf(onTime, Math.ceil(onTime.length / (scenario.rests + 1))), late],
  }
}

function carsOf({ seed, drivesByCar }: Scenario, dongle: number): number[] {
  const { length } = drivesByCar
  return drivesByCar.map((_, stint) => seed * 10 + ((stint + dongle) % length))
}

/** In the middle of the last drive that was witnessed. */
function drivingUntil(recording: Recording, untilMs: number): Sample[] {
  const last = recording.truth.trips.at(-1)
  const middleMs = last ? Math.round((last.startMs + last.endMs) / 2) : untilMs
  return samplesOf(recording)
    .filter(({ timeMs }) => timeMs <= middleMs)
    .map(sample => ({ ...sample, timeMs: sample.timeMs + untilMs - middleMs }))
}

/** What one dongle sends: at first, and when that was settled. */
interface Sent {
  readonly samples: readonly Sample[]
  readonly packets: readonly Packet[]
  readonly late: readonly Packet[]
}

function sent({ packetSize, disorder, ...scenario }: Scenario, samples: readonly Sample[], seed: number): Sent {
  if (disorder === 'iot') return { ...iotUploads(samples, packetSize, seed), late: [] }
  const pieces = inPieces(samples, scenario.inPieces, seed)
  const inOrder = packetsOf(disorder === 'shuffled' ? shuffled(pieces, seed) : pieces, packetSize)
  const late = disorder === 'some late' ? inOrder.filter((_, i) => chance(seed, i, 1) < SHARE_LATE) : []
  const onTime = inOrder.filter(packet => !late.includes(packet))
  return {
    samples,
    packets: repeated(placed(onTime, disorder, seed), scenario.repeated, seed),
    late: shuffled(late, seed),
  }
}

const SHARE_LATE = 0.15

function placed(packets: readonly Packet[], disorder: Disorder, seed: number): readonly Packet[] {
  if (disorder === 'delayed') return delayed(packets, 0.4, Math.ceil(packets.length * 0.3), seed)
  return disorder === 'live first' ? liveFirst(packets, Math.ceil(packets.length * 0.2)) : packets
}
