// `npm run accuracy`: measures how well drives of every kind of dongle are found, at every cadence (docs/accuracy.md).
import { readFile, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { Command, InvalidArgumentError } from 'commander'
import { measureCell, measurePair, PAIRS } from '../lab/accuracy/cell.ts'
import {
  cellsText,
  documentParts,
  type MeasuredCell,
  type MeasuredPair,
  type MeasuredVed,
  missesText,
  pairsText,
  vedText,
} from '../lab/accuracy/report.ts'
import { measureVed, readVedTrips } from '../lab/accuracy/ved.ts'
import { DISTURBANCES, type DisturbanceName } from '../lab/simulation/disturbances/all-disturbances.ts'
import { CADENCES_S, KINDS_OF_DONGLES } from '../lab/simulation/kinds-of-dongles.ts'

interface AccuracyOptions {
  readonly kinds: readonly string[]
  readonly cadences: readonly number[]
  readonly clean?: true
  readonly disturbed?: true
  readonly only?: readonly DisturbanceName[]
  readonly devices: number
  readonly seed: number
  readonly misses?: true
  readonly pairs?: true
  readonly ved?: string
  readonly facts?: string
  readonly write?: true
}

const KIND_NAMES: readonly string[] = KINDS_OF_DONGLES.map(({ name }) => name)
const CADENCES: readonly number[] = CADENCES_S
const DISTURBANCE_NAMES = Object.keys(DISTURBANCES) as DisturbanceName[]

const options = new Command('accuracy')
  .description('measure how well drives are found, by kind of dongle and cadence')
  .option('--kinds <names>', `some of ${KIND_NAMES.join(', ')}`, namesOf(KIND_NAMES), KIND_NAMES)
  .option('--cadences <seconds>', 'seconds between two records', numbers, CADENCES)
  .option('--clean', 'only with nothing disturbed')
  .option('--disturbed', 'only with everything disturbed at once')
  .option('--only <names>', 'only these disturbances', namesOf(DISTURBANCE_NAMES))
  .option('--devices <count>', 'so many dongles a cell, each with ten drives', number, 10)
  .option('--seed <number>', 'other drives for each', number, 1)
  .option('--misses', 'tell each drive that is missed and each trip that nobody drove')
  .option('--pairs', 'measure cars with two dongles instead')
  .option('--ved <file>', 'measure a recording of VED instead')
  .option('--facts <file>', 'for --ved: when its trips began and ended')
  .option('--write', 'write what was measured into docs/accuracy.md')
  .parse()
  .opts<AccuracyOptions>()

const { ved: recording, facts, pairs: arePairs } = options
if (recording && !facts) throw new Error('--ved needs --facts: when its trips began and ended (docs/accuracy.md)')
const ved = recording && facts ? await measuredVed(recording, facts) : []
const pairs = arePairs ? measuredPairs(options) : []
const cells = recording || arePairs ? [] : measuredCells(options)
if (options.write) await writeDocument(cells, pairs, ved)

function measuredCells({
  kinds,
  cadences,
  clean,
  disturbed,
  only,
  devices,
  seed,
  misses,
}: AccuracyOptions): MeasuredCell[] {
  const states = [...(disturbed && !clean ? [] : [false]), ...(clean && !disturbed ? [] : [true])]
  const measured: MeasuredCell[] = []
  for (const isDisturbed of states)
    for (const kind of KINDS_OF_DONGLES.filter(({ name }) => kinds.includes(name))) {
      const ofKind = cadences.map(cadenceS => {
        const wishes = { kind, cadenceS, isDisturbed, devices, seed, ...(only && { only: new Set(only) }) }
        return { kind, cadenceS, isDisturbed, score: measureCell(wishes) }
      })
      console.log(cellsText(ofKind))
      if (misses) for (const cell of ofKind) console.log(`${cell.kind.name}, ${cell.cadenceS} s:\n${missesText(cell)}`)
      measured.push(...ofKind)
    }
  return measured
}

function measuredPairs({ devices: cars, seed }: AccuracyOptions): MeasuredPair[] {
  const measured = PAIRS.map(pair => ({
    pair,
    clean: measurePair(pair, { isDisturbed: false, cars, seed }),
    disturbed: measurePair(pair, { isDisturbed: true, cars, seed }),
  }))
  console.log(pairsText(measured))
  return measured
}

async function measuredVed(file: string, factsFile: string): Promise<MeasuredVed[]> {
  const trips = await readVedTrips(file, factsFile)
  const measured = (['positions and speed', 'positions'] as const).flatMap(told =>
    options.cadences.map(cadenceS => ({ told, cadenceS, score: measureVed(trips, cadenceS, told) })),
  )
  console.log(vedText(measured))
  return measured
}

async function writeDocument(
  measured: readonly MeasuredCell[],
  ofPairs: readonly MeasuredPair[],
  ofVed: readonly MeasuredVed[],
): Promise<void> {
  const path = fileURLToPath(new URL('../docs/accuracy.md', import.meta.url))
  let text = await readFile(path, 'utf8')
  for (const [name, part] of documentParts(measured, ofPairs, ofVed)) {
    const [begin, end] = [`<!-- ${name} -->`, `<!-- /${name} -->`]
    const [before, rest] = text.split(begin)
    const after = rest?.split(end)[1]
    if (before === undefined || after === undefined) throw new Error(`docs/accuracy.md has no part "${name}"`)
    text = `${before}${begin}\n\n${part}\n\n${end}${after}`
  }
  await writeFile(path, text)
}

function namesOf<Name extends string>(known: readonly Name[]): (text: string) => Name[] {
  return text =>
    text.split(',').map(name => {
      const found = known.find(each => each === name)
      if (!found) throw new InvalidArgumentError(`"${name}" is none of ${known.join(', ')}.`)
      return found
    })
}

function numbers(text: string): readonly number[] {
  return text.split(',').map(number)
}

function number(text: string): number {
  const value = Number(text)
  if (!Number.isInteger(value) || value < 1) throw new InvalidArgumentError('A whole number above 0 is needed.')
  return value
}
