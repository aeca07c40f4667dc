import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { cpus, loadavg, totalmem } from 'node:os'
import { fileURLToPath } from 'node:url'
import { type BenchResult, boundText, meets, spreadOf } from './result.ts'

export interface Recording {
  readonly version: string
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

export function machineNow(): Recording['machine'] {
  return {
    cpus: cpus().length,
    cpu: cpus()[0]?.model.trim() ?? 'unknown',
    memoryBytes: totalmem(),
    node: process.versions.node,
    loadBefore: Number((loadavg()[0] ?? 0).toFixed(2)),
  }
}

export function isLoaded({ machine }: Recording): boolean {
  return machine.loadBefore >= 0.5
}

export function ownVersion(): string {
  return (JSON.parse(readFileSync(inBench('../../package.json'), 'utf8')) as { version: string }).version
}

export function recordingFile(version: string): string {
  return `${FOLDER}/${version}.json`
}

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

export function withNewer(former: Recording | undefined, newer: Recording): Recording {
  if (former?.version !== newer.version) return newer
  const names = new Set(newer.results.map(({ name }) => name))
  return { ...newer, results: [...former.results.filter(({ name }) => !names.has(name)), ...newer.results] }
}

/** `docs/scale.md`, of which the part between these lines is written from a recording. */
export const SCALE_PAGE = fileURLToPath(new URL('../../docs/scale.md', import.meta.url))
const BEGIN = '<!-- Written by `npm run bench -- --record` from lab/bench/results; do not edit. -->'
const END = '<!-- The end of what is written. -->'

const CAR = { drivenHours: 1.5, drivingS: 10, parkedS: 600, valuesEach: 20, drivingAtOnce: 0.25, requestsAS: 1 / 200 }
/** A machine that is used to half of what it can catches up after an outage as fast as data went on arriving. */
const USED_SHARE = 0.5
const FLEETS = [10_000, 100_000, 1_000_000]
const HOT_DAYS = 7
const DAYS = 365

interface Measured {
  readonly cpuMsARecord: number | undefined
  readonly cpuMsARequest: number | undefined
  readonly hotBytesAValue: number | undefined
  readonly sealedBytesAValue: number | undefined
  readonly memoryMb1000: number | undefined
  readonly memoryMb5000: number | undefined
}

export function withRecording(page: string, recording: Recording): string {
  const [from, to] = [page.indexOf(BEGIN), page.indexOf(END)]
  if (from < 0 || to < from) throw new Error('docs/scale.md does not have the lines between which the figures stand')
  return `${page.slice(0, from + BEGIN.length)}\n\n${measuredPart(recording)}\n\n${page.slice(to)}`
}

export function writeScalePage(recording: Recording): void {
  writeFileSync(SCALE_PAGE, withRecording(readFileSync(SCALE_PAGE, 'utf8'), recording))
}

function measuredPart(recording: Recording): string {
  const { version, recorded, machine, results } = recording
  const load = isLoaded(recording)
    ? `**Measured while other work took the same cores (load ${machine.loadBefore})**: ratios are good for comparing, times and cores are too high.`
    : 'Nothing else was running.'
  const rows = results.map(result => {
    const { name, ratio, target, runs, measured, against } = result
    const spread = runs && runs.length > 1 ? `${text(spreadOf(runs).low)} to ${text(spreadOf(runs).high)}` : ''
    return `| ${meets(result) ? '' : '**missed**'} | ${name} | ${text(ratio)} | ${spread} | ${boundText(target)} | ${measured}; against ${against} |`
  })
  return [
    `Version ${version}, ${recorded.slice(0, 10)}, ${machine.cpus} cores (${machine.cpu}), ${Math.round(machine.memoryBytes / 1e9)} GB, Node ${machine.node}. ${load}`,
    '',
    '| | figure | ratio | spread | target | measured |',
    '| --- | --- | --- | --- | --- | --- |',
    ...rows,
    '',
    '## What a fleet needs',
    '',
    ...fleetPart(measuredOf(recording)),
  ].join('\n')
}

function measuredOf({ results }: Recording): Measured {
  const figure = (result: string, name: string) => results.find(each => each.name === result)?.figures?.[name]
  const ordinary = (dongles: number) => `ordinary load, ${dongles} dongles: CPU a record`
  const bytes = 'Bytes a value sealed, records of 20 values'
  return {
    cpuMsARecord: figure(ordinary(5000), 'cpuMsARecord') ?? figure(ordinary(1000), 'cpuMsARecord'),
    cpuMsARequest: figure('GET /vehicles/{id}', 'cpuMsARequest'),
    hotBytesAValue: figure(bytes, 'hotBytesAValue'),
    sealedBytesAValue: figure(bytes, 'sealedBytesAValue'),
    memoryMb1000: figure(ordinary(1000), 'memoryMb'),
    memoryMb5000: figure(ordinary(5000), 'memoryMb'),
  }
}

function fleetPart(measured: Measured): string[] {
  const { drivenHours, drivingS, parkedS, valuesEach, drivingAtOnce, requestsAS } = CAR
  const recordsADay = (drivenHours * 3600) / drivingS + ((24 - drivenHours) * 3600) / parkedS
  const peakRecordsAS = drivingAtOnce / drivingS + (1 - drivingAtOnce) / parkedS
  const { cpuMsARecord, cpuMsARequest, hotBytesAValue, sealedBytesAValue, memoryMb1000, memoryMb5000 } = measured
  const per = (value: number | undefined, unit: string) =>
    value === undefined ? 'not measured yet' : `${text(value)} ${unit}`
  const times = (a: number | undefined, b: number) => (a === undefined ? undefined : a * b)
  const hotADay = times(hotBytesAValue, recordsADay * valuesEach)
  const sealedADay = times(sealedBytesAValue, recordsADay * valuesEach)
  const mbADongle =
    memoryMb1000 === undefined || memoryMb5000 === undefined
      ? undefined
      : Math.max(0, (memoryMb5000 - memoryMb1000) / 4000)
  const row = (cars: number) => {
    const ingest = times(cpuMsARecord, (cars * peakRecordsAS) / 1000)
    const reads = times(cpuMsARequest, (cars * requestsAS) / 1000)
    const cores = ingest === undefined || reads === undefined ? undefined : (ingest + reads) / USED_SHARE
    const memoryGb =
      mbADongle === undefined || memoryMb1000 === undefined
        ? undefined
        : (memoryMb1000 + mbADongle * (cars - 1000)) / 1000
    const hot = times(hotADay, (cars * DAYS) / 1e9)
    const sealed =
      sealedADay === undefined || hotADay === undefined
        ? undefined
        : (cars * (sealedADay * (DAYS - HOT_DAYS) + hotADay * HOT_DAYS)) / 1e9
    const cells = [cars * peakRecordsAS, ingest, reads, cores, memoryGb, hot, sealed]
    return `| ${cars.toLocaleString('en')} | ${cells.map(cell => (cell === undefined ? '–' : large(cell))).join(' | ')} |`
  }
  return [
    `A car here drives ${drivenHours} hours a day and sends a record of ${valuesEach} values every ${drivingS} s while driving and every ${parkedS / 60} minutes else: ${Math.round(recordsADay)} records a day. At the busiest time ${drivingAtOnce * 100} % of the cars drive: ${text(peakRecordsAS)} records a second and car. For every ${1 / requestsAS} cars there is a request a second.`,
    '',
    `- CPU a record, all processes and PostgreSQL: ${per(cpuMsARecord, 'ms')}, so a core takes ${per(cpuMsARecord === undefined ? undefined : 1000 / cpuMsARecord, 'records a second')}.`,
    `- CPU of \`GET /vehicles/{id}\`: ${per(cpuMsARequest, 'ms')}, so a core answers ${per(cpuMsARequest === undefined ? undefined : 1000 / cpuMsARequest, 'requests a second')}.`,
    `- A value takes ${per(hotBytesAValue, 'B')} as a row and ${per(sealedBytesAValue, 'B')} sealed, indexes included: ${per(times(hotADay, 1 / 1000), 'kB')} and ${per(times(sealedADay, 1 / 1000), 'kB')} a car and day.`,
    `- 1,000 dongles take ${per(memoryMb1000, 'MB')} of memory with everything, each more ${per(times(mbADongle, 1000), 'kB')}. PostgreSQL should have as much again as is read often.`,
    `- Cores = (records a second × CPU a record + requests a second × CPU a request) / ${USED_SHARE}, so that half of them is free for catching up after an outage. A year sealed has the last ${HOT_DAYS} days as rows.`,
    '',
    '| cars | records/s at the busiest | cores for these | cores for requests | cores to have | memory, GB | a year as rows, GB | a year sealed, GB |',
    '| --- | --- | --- | --- | --- | --- | --- | --- |',
    ...FLEETS.map(row),
  ]
}

function text(value: number): string {
  return String(Number(value.toPrecision(3)))
}

function large(value: number): string {
  return value >= 1000 ? Math.round(Number(value.toPrecision(3))).toLocaleString('en') : text(value)
}
