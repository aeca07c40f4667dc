import { CHASSIS } from './chassis.ts'
import { AIR_AND_FUEL } from './p0-air-and-fuel.ts'
import { COMPUTER } from './p0-computer.ts'
import { ELECTRIC } from './p0-electric.ts'
import { EMISSIONS } from './p0-emissions.ts'
import { IGNITION } from './p0-ignition.ts'
import { SPEED_AND_IDLE } from './p0-speed-and-idle.ts'
import { TRANSMISSION } from './p0-transmission.ts'
import { POWERTRAIN_2 } from './p2.ts'
import { POWERTRAIN_2_MORE } from './p2-more.ts'
import { RESTRAINTS } from './restraints.ts'
import { nextCode, type Row, type Text } from './text.ts'
import { NETWORK } from './u0.ts'

const TABLES: readonly (readonly Row[])[] = [
  AIR_AND_FUEL,
  IGNITION,
  EMISSIONS,
  SPEED_AND_IDLE,
  COMPUTER,
  TRANSMISSION,
  ELECTRIC,
  POWERTRAIN_2,
  POWERTRAIN_2_MORE,
  NETWORK,
  CHASSIS,
  RESTRAINTS,
]

/** @returns each code of a row with its texts, with the subject inserted. */
function spelledOut([first, subject, ...faults]: Row): [code: string, label: Text][] {
  let code = first
  return (faults.length > 0 ? faults : [['{}', '{}'] as const]).map(fault => {
    const entry: [string, Text] = [code, [sentence(fault[0], subject[0]), sentence(fault[1], subject[1])]]
    code = nextCode(code)
    return entry
  })
}

function sentence(fault: string, subject: string): string {
  const text = fault.replace('{}', () => subject)
  return text.charAt(0).toUpperCase() + text.slice(1)
}

/** Every code that has a precise label; a code twice is a mistake that the tests find. */
export const PRECISE_LABELS: readonly (readonly [code: string, label: Text])[] = TABLES.flatMap(rows =>
  rows.flatMap(spelledOut),
)
