import { CHASSIS, NETWORK, RESTRAINTS } from './chassis-body-network.ts'
import { COMPUTER, ELECTRIC, TRANSMISSION } from './drive.ts'
import { AIR_AND_FUEL, EMISSIONS, IGNITION, SPEED_AND_IDLE } from './engine.ts'
import { POWERTRAIN_2, POWERTRAIN_2_MORE } from './p2.ts'
import { nextCode, type Row, type Text } from './text.ts'

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
function labelsOf([first, subject, ...faults]: Row): [code: string, label: Text][] {
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
  rows.flatMap(labelsOf),
)
