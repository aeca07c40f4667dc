import { type Command, InvalidArgumentError } from 'commander'
import { readConfig } from '../../src/config.ts'
import { OperatorError } from '../../src/model/errors.ts'
import { ownApiAddress } from '../../src/server/process.ts'
import { ApiReader, type Reader } from './api-reader.ts'
import { readKnownTruth } from './known-truth.ts'
import { jsonReport, reportOf } from './report.ts'
import { scoreFleet } from './score-fleet.ts'

interface ScoreOptions {
  readonly truth: string
  readonly url?: string
  readonly key?: string
  readonly tolerance: number
  readonly withRules?: true
  readonly json?: true
}

/** `tacho score`: compares what a simulated fleet did with what the API tells of it. */
export function registerScore(program: Command): void {
  program
    .command('score')
    .description(
      'compare the truth of a simulated fleet with what the API says; fails when something acknowledged is missing',
    )
    .requiredOption('--truth <file>', 'what `tacho simulate --truth` wrote')
    .option('--url <address>', 'address of the service (default: http://HOST:PORT of the settings)')
    .option(
      '--key <key>',
      'key that may read trips, events, dtcs and vehicles, for incidents also those and rules (default: TACHO_KEY, or the login of TACHO_EMAIL)',
    )
    .option('--tolerance <seconds>', 'how far both ends of a trip may be off', seconds, 20)
    .option('--with-rules', 'create the rules that the incidents of the truth need, where they are missing')
    .option('--json', 'print the figures as JSON')
    .action(score)
}

async function score(options: ScoreOptions): Promise<void> {
  const config = readConfig()
  if (!options.url && config.port === 0)
    throw new OperatorError('PORT is 0, so the address of the service is not known here: give --url.')
  const api = await ApiReader.open(options.url ?? ownApiAddress(config, config.port), readerOf(options, config))
  const truth = await readKnownTruth(options.truth)
  const isWatched = process.stderr.isTTY && !options.json
  const result = await scoreFleet(truth, api, {
    toleranceMs: options.tolerance * 1000,
    createsRules: options.withRules === true,
    onDongle(done) {
      if (isWatched) process.stderr.write(`\r${done} of ${truth.dongles.length} dongles`)
    },
  })
  if (isWatched) process.stderr.write('\r\u001B[K')
  console.log(options.json ? JSON.stringify(jsonReport(result), undefined, 2) : reportOf(result))
  if (result.dongles.some(({ records }) => records.missing > 0 || records.repeated > 0)) process.exitCode = 1
}

function readerOf({ key }: ScoreOptions, config: ReturnType<typeof readConfig>): Reader {
  const known = key ?? config.apiKey
  if (known) return { key: known }
  if (config.email && config.password) return { email: config.email, password: config.password }
  throw new OperatorError(
    'A key that may read is needed: give --key, or set TACHO_KEY or TACHO_EMAIL and TACHO_PASSWORD.',
  )
}

function seconds(text: string): number {
  const value = Number(text)
  if (!(value >= 0 && value <= 3600)) throw new InvalidArgumentError('A number from 0 to 3600 is needed.')
  return value
}
