import { basename } from 'node:path'
import type { Command } from 'commander'
import { readConfig } from '../../src/config.ts'
import { OperatorError } from '../../src/model/errors.ts'
import { ownApiAddress } from '../../src/server/process.ts'
import { factor, wholeNumber } from '../arguments.ts'
import { ingestUrl } from '../upload/ingest-client.ts'
import { replayProgress, replayVed, summaryOf } from './replay-ved.ts'

interface VedOptions {
  readonly url?: string
  readonly key?: string
  readonly speed?: number
  readonly now?: true
  readonly batch: number
  readonly gzip?: true
}

/** `tacho replay`: recordings of real drives, sent through the HTTP ingest as if their dongles reported. */
export function registerReplay(program: Command): void {
  const replay = program.command('replay').description('send a recording of real drives through the HTTP ingest')
  replay
    .command('ved')
    .description(
      'a file of the Vehicle Energy Dataset (CSV, plain or gzip); what is stored already counts as duplicates',
    )
    .argument('<file>', 'the recording')
    .option('--url <address>', 'address of the service (default: http://HOST:PORT of the settings)')
    .option('--key <key>', 'key with the ingest permission (default: TACHO_KEY of the settings)')
    .option('--speed <factor>', '1 for real time, 60 for a minute a second (default: as fast as it goes)', factor)
    .option('--now', 'move the recording so that it ends when its replay does (default: keep the times recorded)')
    .option('--batch <events>', 'most events a request', wholeNumber(1, 100_000), 10_000)
    .option('--gzip', 'compress the requests')
    .action(ved)
}

async function ved(file: string, options: VedOptions): Promise<void> {
  const config = readConfig()
  const key = options.key ?? config.apiKey
  if (!key) throw new OperatorError('A key with the ingest permission is needed: give --key or set TACHO_KEY.')
  if (options.now && options.speed !== undefined && options.speed < 1)
    throw new OperatorError(
      '--now needs a --speed of at least 1: slower, the end of the recording would lie in the future.',
    )
  if (!options.url && config.port === 0)
    throw new OperatorError('PORT is 0, so the address of the service is not known here: give --url.')
  const baseUrl = options.url ?? ownApiAddress(config, config.port)
  if (!URL.canParse(ingestUrl(baseUrl)))
    throw new OperatorError(`--url must be an address such as http://127.0.0.1:8080.`)

  const stop = new AbortController()
  const onInterrupt = () =>
    stop.abort(new OperatorError('Stopped. What is stored stays; a repeat counts it as duplicates.'))
  process.once('SIGINT', onInterrupt)
  const progress = replayProgress()
  try {
    const report = await replayVed({
      file,
      speed: options.speed,
      toNow: options.now ?? false,
      signal: stop.signal,
      client: {
        baseUrl,
        key,
        batchEvents: options.batch,
        gzip: options.gzip ?? false,
        onStored: totals => progress.stored(totals),
        onRetry: retry => progress.waiting(retry),
      },
      onSurveyed: survey => progress.start(survey.rows - survey.emptyRows),
    })
    progress.stop()
    console.log(`Replayed ${basename(file)} to ${baseUrl}\n${summaryOf(report)}`)
  } finally {
    progress.stop()
    process.off('SIGINT', onInterrupt)
  }
}
