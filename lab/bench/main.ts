import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { parseArgs } from 'node:util'
import { nodeOptionsOf } from '../../src/lib/process.ts'
import { benchmarkNames, chosenNames, GROUPS, LONE } from './benchmarks.ts'
import {
  isLoaded,
  machineNow,
  newestRecording,
  ownVersion,
  type Recording,
  readRecording,
  recordingFile,
  withNewer,
  writeRecording,
  writeScalePage,
} from './recording.ts'
import { type BenchResult, combined, compared, isGood, printResults, resultTable, whatGotWorse } from './result.ts'
import { runService } from './running-service.ts'

const USAGE = `npm run bench -- [NAME...] [--runs N] [--json FILE] [--record] [--against FILE]
  NAME       only these, and what they need: ${benchmarkNames().join(', ')}
  --runs     repetitions, each on a new service (3)
  --json     write the results to a file as well
  --record   keep them as those of this version: lab/bench/results/<version>.json
  --against  the results to compare with (those of the newest version there)`

await runAsIntake()
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    runs: { type: 'string', default: '3' },
    json: { type: 'string' },
    record: { type: 'boolean', default: false },
    against: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
})
const runs = Number(values.runs)
const unknown = positionals.filter(name => !benchmarkNames().includes(name))
if (values.help || unknown.length > 0 || !Number.isInteger(runs) || runs < 1) {
  if (unknown.length > 0) console.error(`There is no benchmark ${unknown.join(', ')}.`)
  console.log(USAGE)
  process.exit(values.help ? 0 : 2)
}

const former = values.against === undefined ? newestRecording() : readRecording(values.against)
const machine = machineNow()
const chosen = chosenNames(positionals)
const failed = new Set<string>()
const repetitions: BenchResult[][] = []
for (let run = 0; run < runs; run++) {
  if (runs > 1) console.log(`Repetition ${run + 1} of ${runs}`)
  repetitions.push(await repetition())
}
const results = combined(repetitions)
const recording: Recording = { version: ownVersion(), recorded: new Date().toISOString(), machine, results }
const comparisons = former ? compared(results, former.results) : []
console.log(resultTable(results, comparisons))
if (former)
  for (const line of whatGotWorse(
    comparisons,
    `${former.version}${isLoaded(former) ? ' (measured on a loaded machine)' : ''}`,
  ))
    console.log(line)
if (isLoaded(recording))
  console.log(`Other work was going on (load ${machine.loadBefore}): ratios are good for comparing, times are not.`)
if (values.json !== undefined) writeRecording(values.json, recording)
if (values.record) {
  const file = recordingFile(recording.version)
  const kept = withNewer(former, recording)
  writeRecording(file, kept)
  writeScalePage(kept)
  console.log(`Recorded in ${file} and docs/scale.md.`)
}
if (failed.size > 0) console.log(`Failed: ${[...failed].join(', ')}.`)
process.exitCode = failed.size === 0 && isGood(results, comparisons) ? 0 : 1

async function repetition(): Promise<BenchResult[]> {
  const found: BenchResult[] = []
  // One that fails takes no other with it.
  const attempt = async (name: string, run: () => Promise<BenchResult | readonly BenchResult[]>) => {
    try {
      const made = [await run()].flat()
      printResults(made)
      found.push(...made)
    } catch (error) {
      failed.add(name)
      console.error(`FAILED ${name}:`, error)
    }
  }
  for (const { name, run } of LONE) if (chosen.has(name)) await attempt(name, run)
  for (const { benchmarks, beside } of GROUPS) {
    const wanted = benchmarks.filter(({ name }) => chosen.has(name))
    if (wanted.length === 0) continue
    const other = await beside?.()
    const service = await runService(other?.environment)
    try {
      for (const { name, run } of wanted) await attempt(name, () => run(service))
    } finally {
      await service.stop()
      await other?.stop()
    }
  }
  return found
}

/** Some benchmarks store in their own process: runs it again with the options of an intake, and ends as that one. */
async function runAsIntake(): Promise<void> {
  const missing = nodeOptionsOf('intake').filter(option => !process.execArgv.includes(option))
  if (missing.length === 0) return
  const child = spawn(process.execPath, [...process.execArgv, ...missing, ...process.argv.slice(1)], {
    stdio: 'inherit',
  })
  const [status] = await once(child, 'exit')
  process.exit(typeof status === 'number' ? status : 1)
}
