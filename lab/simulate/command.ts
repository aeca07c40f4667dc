import { type Command, InvalidArgumentError, Option } from 'commander'
import { readConfig } from '../../src/config.ts'
import { OperatorError } from '../../src/model/errors.ts'
import { ownHostPort } from '../../src/server/process.ts'
import { askedOfFleet } from '../accuracy/incidents.ts'
import { factor, wholeNumber } from '../arguments.ts'
import { FLEET_FAULTS, type FleetFault } from '../simulation/fleet/fleet-faults.ts'
import { virtualFleet } from '../simulation/fleet/virtual-fleet.ts'
import { KINDS_OF_DONGLES, type KindName } from '../simulation/kinds-of-dongles.ts'
import { type FleetTotals, paceOf, runFleet } from './run-fleet.ts'
import { TruthTeller, writeTruth } from './truth.ts'
import {
  httpUplinks,
  mqttUplinks,
  readTeltonikaAddress,
  type TeltonikaAddress,
  teltonikaAddressText,
  teltonikaUplinks,
  type UplinkOptions,
  type Uplinks,
} from './uplinks.ts'

interface SimulateOptions {
  readonly vehicles: number
  readonly seed: number
  readonly speedup?: number
  readonly faults?: ReadonlySet<FleetFault>
  readonly dongles?: readonly KindName[]
  readonly interval?: number
  readonly twoDongles?: number
  readonly from?: number
  readonly for?: number
  readonly teltonika?: TeltonikaAddress
  readonly mqtt?: string
  readonly http?: string
  readonly key?: string
  readonly incidents?: true
  readonly truth?: string
}

/** `tacho simulate`: simulated cars that report over a real protocol; what really happened is known. */
export function registerSimulate(program: Command): void {
  const faults = FLEET_FAULTS.map(({ name, description }) => `  ${name.padEnd(13)} ${description}`).join('\n')
  const dongles = KINDS_OF_DONGLES.map(({ name, about }) => `  ${name.padEnd(18)} ${about}`).join('\n')
  program
    .command('simulate')
    .description('let a made-up fleet drive and report as real dongles do, and write down what really happened')
    .option('--vehicles <count>', 'how many cars, each with a dongle', wholeNumber(1, 100_000), 12)
    .option('--seed <number>', 'another fleet for each', wholeNumber(0, 2 ** 31 - 1), 1)
    .option('--from <time>', 'when it begins: an instant, or how long ago, such as 7d (default: 1d)', beginning)
    .option('--for <duration>', 'how long it drives, such as 6h (default: until it is stopped)', durationMs)
    .option('--speedup <factor>', 'how fast the past is driven (default: as fast as the service takes it)', factor)
    .option(
      '--faults <names>',
      'what goes wrong with the dongles, separated by commas, or all (default: nothing)',
      faultNames,
    )
    .option(
      '--dongles <names>',
      'kinds of dongles, in turns, separated by commas, or all (default: of each a few)',
      dongleNames,
    )
    .option(
      '--interval <seconds>',
      'between two records of a dongle (default: 5 or 10, as usual for its kind)',
      wholeNumber(1, LONGEST_INTERVAL_S),
    )
    .option(
      '--two-dongles <count>',
      'in how many of the cars there is a second dongle, which reports the same drives',
      wholeNumber(1, 100_000),
    )
    .option('--incidents', 'let cars be towed, stolen from, left running and more, now and then; the truth tells it')
    .addOption(
      new Option('--teltonika <host:port>', 'Teltonika over TCP (default: HOST and TELTONIKA_PORT of the settings)')
        .argParser(teltonika)
        .conflicts(['mqtt', 'http']),
    )
    .addOption(new Option('--mqtt <url>', 'an MQTT broker instead').conflicts('http'))
    .option('--http <url>', 'the HTTP ingest of a service instead')
    .option('--key <key>', 'for --http: a key with the ingest permission (default: TACHO_KEY of the settings)')
    .option(
      '--truth <file>',
      'write what really happened and was acknowledged to this file (JSON Lines), for tacho score',
    )
    .addHelpText(
      'after',
      `\nFaults:\n${faults}\n\nDongles:\n${dongles}\n\nThe same seed, vehicles, faults, dongles, interval, two-dongles and incidents give the same fleet, whenever it is.`,
    )
    .action(simulate)
}

const DAY_MS = 86_400_000
const LONGEST_INTERVAL_S = 3600

async function simulate(options: SimulateOptions): Promise<void> {
  const { vehicles, seed, faults = new Set(), dongles, interval, twoDongles, speedup } = options
  const { from: fromMs = Date.now() - DAY_MS } = options
  const chosen = {
    ...(dongles && { dongles }),
    ...(interval !== undefined && { intervalS: interval }),
    ...(twoDongles !== undefined && { twoDongles }),
  }
  if (twoDongles !== undefined && twoDongles > vehicles)
    throw new OperatorError(`--two-dongles ${twoDongles} are more than the ${vehicles} cars that there are.`)
  if (fromMs > Date.now()) throw new OperatorError('--from lies in the future: nothing was measured there yet.')
  const [uplinks, where] = uplinksOf(options)
  const untilMs = options.for === undefined ? Number.POSITIVE_INFINITY : fromMs + options.for
  const hasHappenings = options.incidents === true
  const fleet = virtualFleet({ vehicles, seed, faults, ...chosen, hasHappenings })
  const asked = hasHappenings ? askedOfFleet(fleet) : undefined
  const fleetLine = { vehicles, seed, faults: [...faults], fromMs, ...chosen, ...(asked && { incidents: asked }) }
  const truth = options.truth
    ? new TruthTeller(await writeTruth(options.truth, { fleet: fleetLine }), fromMs, asked)
    : undefined
  const stop = new AbortController()
  const onInterrupt = () => stop.abort()
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, onInterrupt)
  try {
    const drives = vehicles === 1 ? 'car drives' : 'cars drive'
    const besides = twoDongles === undefined ? '' : `, ${count(twoDongles)} with two dongles`
    console.log(`${count(vehicles)} ${drives} for ${where}${besides}; Ctrl-C stops them.`)
    const totals = await runFleet({
      fleet,
      fromMs: () => fromMs,
      untilMs,
      pace: paceOf({ fromMs, speedup }),
      uplinks,
      signal: stop.signal,
      truth,
      onLive(reached) {
        if (untilMs > Date.now()) console.log(`The past is sent: ${textOf(reached)}.`)
      },
    })
    console.log(`Acknowledged: ${textOf(totals)}.`)
    if (totals.refused.length > 0) {
      const [first] = totals.refused
      console.error(`${count(totals.refused.length)} dongles were refused, ${first} for one (see UNKNOWN_DEVICES).`)
      process.exitCode = 1
    }
  } finally {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.off(signal, onInterrupt)
  }
}

function uplinksOf(options: SimulateOptions): readonly [(options: UplinkOptions) => Uplinks, where: string] {
  const { mqtt, http } = options
  if (mqtt !== undefined) {
    if (!isAddress(mqtt, ['mqtt:', 'mqtts:', 'ws:', 'wss:']))
      throw new OperatorError('--mqtt must be an address such as mqtt://127.0.0.1:1883.')
    return [uplink => mqttUplinks(mqtt, uplink), mqtt.replace(/\/\/[^@/]*@/, '//')]
  }
  if (http !== undefined) {
    const key = options.key ?? readConfig().apiKey
    if (!key) throw new OperatorError('A key with the ingest permission is needed: give --key or set TACHO_KEY.')
    if (!isAddress(http, ['http:', 'https:']))
      throw new OperatorError('--http must be an address such as http://127.0.0.1:8080.')
    return [uplink => httpUplinks({ baseUrl: http, key }, uplink), http]
  }
  const address = options.teltonika ?? configuredAddress(readConfig())
  return [uplink => teltonikaUplinks(address, uplink), teltonikaAddressText(address)]
}

function isAddress(text: string, protocols: readonly string[]): boolean {
  return URL.canParse(text) && protocols.includes(new URL(text).protocol)
}

function configuredAddress(config: ReturnType<typeof readConfig>): TeltonikaAddress {
  const { teltonikaHost, teltonikaPort, teltonikaTlsCertFile } = config
  if (!teltonikaPort)
    throw new OperatorError('TELTONIKA_PORT names no port, so where dongles report is not known: give --teltonika.')
  if (teltonikaTlsCertFile !== undefined)
    throw new OperatorError('The dongles of `tacho simulate` speak no TLS: give --http or --mqtt.')
  return readTeltonikaAddress(ownHostPort(teltonikaHost, teltonikaPort))
}

const count = (number: number) => number.toLocaleString('en-US')

function textOf({ records, packets, tookMs }: FleetTotals): string {
  return `${count(records)} records in ${count(packets)} packets, in ${count(Math.round(tookMs / 1000))} s`
}

function beginning(text: string): number {
  const agoMs = readDurationMs(text)
  const timeMs = agoMs === undefined ? Date.parse(text) : Date.now() - agoMs
  if (Number.isNaN(timeMs)) throw new InvalidArgumentError('An instant such as 2026-03-02T06:00:00Z is needed, or 7d.')
  return timeMs
}

function teltonika(text: string): TeltonikaAddress {
  try {
    return readTeltonikaAddress(text)
  } catch (error) {
    throw new InvalidArgumentError((error as Error).message)
  }
}

function faultNames(text: string): ReadonlySet<FleetFault> {
  return new Set(
    someOf(
      FLEET_FAULTS.map(({ name }) => name),
      text,
    ),
  )
}

function dongleNames(text: string): readonly KindName[] {
  return someOf(
    KINDS_OF_DONGLES.map(({ name }) => name),
    text,
  )
}

function someOf<Name extends string>(known: readonly Name[], text: string): Name[] {
  if (text === 'all') return [...known]
  const names = text.split(',').map(name => name.trim())
  const unknown = names.find(name => !known.some(each => each === name))
  if (unknown !== undefined) throw new InvalidArgumentError(`"${unknown}" is none of ${known.join(', ')}.`)
  return known.filter(name => names.includes(name))
}

const UNITS_MS = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const

/** Reads `90s`, `15m`, `6h` or `7d`. @returns milliseconds; undefined for any other text. */
export function readDurationMs(text: string): number | undefined {
  const [, number, unit] = /^(\d+(?:\.\d+)?)([smhd])$/.exec(text.trim()) ?? []
  if (number === undefined || unit === undefined) return undefined
  return Math.round(Number(number) * UNITS_MS[unit as keyof typeof UNITS_MS])
}

function durationMs(text: string): number {
  const ms = readDurationMs(text)
  if (!ms) throw new InvalidArgumentError('A duration such as 90s, 15m, 6h or 7d is needed.')
  return ms
}
