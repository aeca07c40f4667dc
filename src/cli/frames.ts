import { type Command, InvalidArgumentError } from 'commander'
import {
  clearRejectedFrames,
  findRejectedFrame,
  type KeptFrame,
  listRejectedFrames,
  MOST_FRAMES,
} from '../db/rejected-frames.ts'
import { minuteText } from '../lib/table.ts'
import { OperatorError } from '../model/errors.ts'
import { inServiceTransaction, onServiceDatabase } from '../server/database.ts'
import { printTable } from './terminal.ts'

const LISTED = '50'

export function registerFrames(program: Command): void {
  const frames = program.command('frames').description('what was received and could not be believed')
  frames
    .command('list')
    .description('show the newest, newest first')
    .option('--limit <number>', 'how many at most', parseCount, parseCount(LISTED))
    .action(list)
  frames
    .command('show')
    .description('show one: what is wrong with it, and its bytes')
    .argument('<id>', 'as `list` shows it', parseCount)
    .action(show)
  frames.command('clear').description('forget all of them').action(clear)
}

function parseCount(text: string): number {
  const count = Number(text)
  if (!/^\d{1,15}$/.test(text) || count < 1) throw new InvalidArgumentError('It must be a whole number above 0.')
  return count
}

async function list({ limit }: { readonly limit: number }): Promise<void> {
  const frames = await onServiceDatabase(database => listRejectedFrames(database, Math.min(limit, MOST_FRAMES)))
  if (frames.length === 0) {
    console.error('Nothing was rejected.')
    return
  }
  printTable(['id', 'received', 'gateway', 'device', 'sender', 'bytes', 'why'], frames, frame => [
    String(frame.id),
    minuteText(frame.received),
    frame.gateway,
    String(frame.device_id ?? ''),
    frame.sender,
    String(frame.byte_count),
    frame.why,
  ])
}

async function show(id: number): Promise<void> {
  const frame = await onServiceDatabase(database => findRejectedFrame(database, id))
  if (!frame) throw new OperatorError('There is no rejected frame with that id; see `tacho frames list`.')
  console.log(described(frame))
}

function described(frame: KeptFrame): string {
  const lines = [
    `Received  ${frame.received}`,
    `Gateway   ${frame.gateway}`,
    `Device    ${frame.device_id ?? 'unknown'}`,
    `Sender    ${frame.sender}`,
    `Why       ${frame.why}`,
    `Bytes     ${frame.byte_count}${frame.bytes.length < frame.byte_count ? `, of which the first ${frame.bytes.length} are kept` : ''}`,
    '',
    hexDump(frame.bytes),
  ]
  return lines.join('\n')
}

async function clear(): Promise<void> {
  const count = await inServiceTransaction(clearRejectedFrames)
  console.error(`${count} rejected frames are forgotten.`)
}

const BYTES_A_LINE = 16

/** Bytes as `hexdump -C` shows them: offset, hexadecimal, and printable ASCII. */
export function hexDump(bytes: Buffer): string {
  const lines: string[] = []
  for (let at = 0; at < bytes.length; at += BYTES_A_LINE) {
    const part = bytes.subarray(at, at + BYTES_A_LINE)
    const hex = [...part].map(byte => byte.toString(16).padStart(2, '0'))
    const halves = `${hex.slice(0, 8).join(' ').padEnd(23)}  ${hex.slice(8).join(' ').padEnd(23)}`
    const text = [...part].map(byte => (byte >= 0x20 && byte <= 0x7e ? String.fromCharCode(byte) : '.')).join('')
    lines.push(`${at.toString(16).padStart(8, '0')}  ${halves}  |${text}|`)
  }
  return lines.join('\n')
}
