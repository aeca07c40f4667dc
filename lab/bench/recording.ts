import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { cpus, loadavg, totalmem } from 'node:os'
import { fileURLToPath } from 'node:url'
import type { BenchResult } from './result.ts'

/** What a run of the benchmarks found, as it is kept in `lab/bench/results/<version>.json`. */
export interface Recording {
  readonly version: string
  /** As an instant. */
  readonly recorded: string
  readonly machine: {
    readonly cpus: number
    readonly cpu: string
    readonly memoryBytes: number
    readonly node: string
    /** Processes that wanted to run when it began, on average of a minute: below 0.5 nothing else was going on. */
    readonly loadBefore: number
  }
  readonly results: readonly BenchResult[]
}

const inBench = (path: string) => fileURLToPath(new URL(path, import.meta.url))
const FOLDER = inBench('results')

/** The machine as it is before anything is measured. */
export function machineNow(): Recording['machine'] {
  return {
    cpus: cpus().length,
    cpu: cpus()[0]?.model.trim() ?? 'unknown',
    memoryBytes: totalmem(),
    node: process.versions.node,
    loadBefore: Number((loadavg()[0] ?? 0).toFixed(2)),
  }
}

/** Whether other work may have disturbed what was measured. */
export function isLoaded({ machine }: Recording): boolean {
  return machine.loadBefore >= 0.5
}

export function ownVersion(): string {
  return (JSON.parse(readFileSync(inBench('../../package.json'), 'utf8')) as { version: string }).version
}

export function recordingFile(version: string): string {
  return `${FOLDER}/${version}.json`
}

/** The committed one of the newest version; undefined when there is none. */
export function newestRecording(): Recording | undefined {
  const versions = existsSync(FOLDER)
    ? readdirSync(FOLDER).flatMap(name => (name.endsWith('.json') ? [name.slice(0, -'.json'.length)] : []))
    : []
  const newest = versions.sort((a, b) => a.localeCompare(b, 'en', { numeric: true })).at(-1)
  return newest === undefined ? undefined : readRecording(recordingFile(newest))
}

export function readRecording(file: string): Recording {
  return JSON.parse(readFileSync(file, 'utf8')) as Recording
}

export function writeRecording(file: string, recording: Recording): void {
  writeFileSync(file, `${JSON.stringify(recording, rounded, 2)}\n`)
}

/** Six digits are more than any measurement here has. */
function rounded(_key: string, value: unknown): unknown {
  return typeof value === 'number' && !Number.isInteger(value) ? Number(value.toPrecision(6)) : value
}

/** A recording in which some results are newer than the others. */
export function withNewer(former: Recording | undefined, newer: Recording): Recording {
  if (former?.version !== newer.version) return newer
  const names = new Set(newer.results.map(({ name }) => name))
  return { ...newer, results: [...former.results.filter(({ name }) => !names.has(name)), ...newer.results] }
}
