import { existsSync } from 'node:fs'
import { extname } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Command } from 'commander'
import type { WrittenRule } from '../fleet/rules/read-rule.ts'
import type { DrawnArea } from '../model/areas/shape.ts'
import type { DeviceId } from '../model/sample.ts'

/** Additions of the package in lab/: a simulator, its score, and the fleet of the demonstration. */
export interface Lab {
  readonly commands: Readonly<Record<LabCommand, (program: Command) => void>>
  /** The dongles that `tacho demo-fleet` lets report: always the same. */
  readonly demoDongles: () => readonly DemoDongle[]
  readonly demoAreas: readonly DrawnArea[]
  /** As the API takes them. @param areaIds of those areas */
  readonly demoRules: (
    areaIds: readonly number[],
    cars: readonly { id: string; group: string }[],
  ) => readonly (WrittenRule & { readonly name: string })[]
}

export type LabCommand = 'replay' | 'simulate' | 'score' | 'demo-fleet'

interface DemoDongle {
  readonly deviceId: DeviceId
  readonly plate: string
  readonly make: string
  readonly model: string
  readonly group: string
}

const EXTENSION = extname(import.meta.url)
/** Loaded when asked for, by its path: the program runs without it. In the built program it is dist/lab.js. */
const ENTRY = fileURLToPath(new URL(EXTENSION === '.ts' ? '../../lab/index.ts' : '../lab.js', import.meta.url))

export async function loadLab(): Promise<Lab | undefined> {
  if (!existsSync(ENTRY)) return undefined
  const { lab } = (await import(ENTRY)) as { readonly lab: Lab }
  return lab
}
