import { table } from '../../src/lib/table.ts'
import { CADENCES_S, KINDS_OF_DONGLES } from '../simulation/kinds-of-dongles.ts'
import { brokenLimits, type CellScore, type DrivesScore, limitsOf, type Pair, type PairScore } from './cell.ts'
import type { VedTold } from './ved.ts'

export interface MeasuredCell {
  readonly kind: (typeof KINDS_OF_DONGLES)[number]
  readonly cadenceS: number
  readonly isDisturbed: boolean
  readonly score: CellScore
}

export interface MeasuredVed {
  readonly cadenceS: number
  readonly told: VedTold
  readonly score: DrivesScore
}

export interface MeasuredPair {
  readonly pair: Pair
  readonly clean: PairScore
  readonly disturbed: PairScore
}

const f1Text = (f1: number) => (Number.isFinite(f1) ? f1.toFixed(3) : '-')
const percentText = (share: number) =>
  Number.isFinite(share) ? `${(share * 100).toFixed(1).replace(/^-0\.0$/, '0.0')} %` : '-'
const metresText = (metres: number | undefined) =>
  metres === undefined ? '-' : `${Math.round(metres).toLocaleString('en-US')} m`

const HEADS = ['dongle', 'every', 'state', 'drives', 'trips', 'F1', 'kilometres', 'trip', 'farthest', 'breaks']

export function cellsText(cells: readonly MeasuredCell[]): string {
  return table(HEADS, cells.map(cellRow))
}

function figuresOf({ drives, found, f1, kilometreError, medianTripError }: DrivesScore): string[] {
  return [String(drives), String(found), f1Text(f1), percentText(kilometreError), percentText(medianTripError)]
}

function cellRow({ kind, cadenceS, isDisturbed, score }: MeasuredCell): string[] {
  return [
    kind.name,
    `${cadenceS} s`,
    isDisturbed ? 'disturbed' : 'clean',
    ...figuresOf(score),
    metresText(score.farthestM),
    brokenLimits(score, limitsOf(kind, cadenceS, isDisturbed)).join(', '),
  ]
}

export function vedText(measured: readonly MeasuredVed[]): string {
  return table(
    ['records hold', 'every', 'drives', 'trips', 'F1', 'kilometres', 'trip'],
    measured.map(({ told, cadenceS, score }) => [told, `${cadenceS} s`, ...figuresOf(score)]),
  )
}

const PAIR_HEADS = ['one dongle', 'the other', 'clean: F1', 'kilometres', 'disturbed: F1', 'kilometres']

function pairRow({ pair, clean, disturbed }: MeasuredPair, nameOf: (kind: string) => string): string[] {
  const scores = [clean, disturbed].flatMap(({ f1, kilometreError }) => [f1Text(f1), percentText(kilometreError)])
  return [...pair.map(({ kind, cadenceS }) => `${nameOf(kind)}, ${cadenceS} s`), ...scores]
}

export function pairsText(measured: readonly MeasuredPair[]): string {
  return table(
    PAIR_HEADS,
    measured.map(pair => pairRow(pair, kind => kind)),
  )
}

export function missesText({ score }: MeasuredCell): string {
  const time = (timeMs: number) => new Date(timeMs).toISOString().slice(5, 19)
  return score.devices
    .flatMap(({ missed, invented }, device) =>
      [
        ...missed.map(drive => ({ drive, startMs: drive.startMs, what: 'missed', why: '' })),
        ...invented.map(drive => ({
          drive,
          startMs: drive.startMs,
          what: 'found',
          why: `, ${drive.opened.rule} / ${drive.closed?.rule ?? 'open'}`,
        })),
      ]
        .sort((a, b) => a.startMs - b.startMs)
        .map(
          ({ drive, what, why }) =>
            `  device ${device} ${what} ${time(drive.startMs)} to ${time(drive.endMs)}, ${Math.round(drive.distanceM)} m${why}`,
        ),
    )
    .join('\n')
}

export function documentParts(
  cells: readonly MeasuredCell[],
  pairs: readonly MeasuredPair[],
  ved: readonly MeasuredVed[],
): Map<string, string> {
  const parts = new Map([['kinds', kindsPart()]])
  for (const state of ['clean', 'disturbed']) {
    const ofState = cells.filter(({ isDisturbed }) => isDisturbed === (state === 'disturbed'))
    if (ofState.length > 0) parts.set(state, matrixPart(ofState))
  }
  if (pairs.length > 0)
    parts.set(
      'pairs',
      markdown(
        PAIR_HEADS,
        pairs.map(pair => pairRow(pair, kind => `\`${kind}\``)),
      ),
    )
  if (ved.length > 0) parts.set('ved', vedPart(ved))
  return parts
}

function kindsPart(): string {
  return markdown(
    ['dongle', 'what it reports'],
    KINDS_OF_DONGLES.map(({ name, about }) => [`\`${name}\``, about]),
  )
}

function matrixPart(cells: readonly MeasuredCell[]): string {
  const cadences = CADENCES_S.filter(cadenceS => cells.some(cell => cell.cadenceS === cadenceS))
  const kinds = KINDS_OF_DONGLES.filter(kind => cells.some(cell => cell.kind === kind))
  const scoresOf = (kind: MeasuredCell['kind']) =>
    cadences.map(cadenceS => cells.find(cell => cell.kind === kind && cell.cadenceS === cadenceS)?.score)
  const rows = (text: (score: CellScore) => string) =>
    kinds.map(kind => [`\`${kind.name}\``, ...scoresOf(kind).map(score => (score ? text(score) : ''))])
  const heads = ['dongle', ...cadences.map(cadenceS => `${cadenceS} s`)]
  return [
    ...scoreTables(heads, rows),
    'The farthest that any point of a line is from where the car was:',
    markdown(
      heads,
      rows(score => metresText(score.farthestM)),
    ),
  ].join('\n\n')
}

function scoreTables(heads: readonly string[], rows: (text: (score: DrivesScore) => string) => string[][]): string[] {
  const lengths = ({ kilometreError, medianTripError }: DrivesScore) =>
    `${percentText(kilometreError)}, ${percentText(medianTripError)}`
  return [
    'F1:',
    markdown(
      heads,
      rows(({ f1 }) => f1Text(f1)),
    ),
    'Kilometres: the sum of all trips compared with the sum of all drives, and the median error of a trip:',
    markdown(heads, rows(lengths)),
  ]
}

function vedPart(measured: readonly MeasuredVed[]): string {
  const cadences = [...new Set(measured.map(({ cadenceS }) => cadenceS))]
  const told = [...new Set(measured.map(item => item.told))]
  const rows = (text: (score: DrivesScore) => string) =>
    told.map(what => [
      what,
      ...cadences.map(cadenceS => {
        const item = measured.find(each => each.told === what && each.cadenceS === cadenceS)
        return item ? text(item.score) : ''
      }),
    ])
  return scoreTables(['records hold', ...cadences.map(cadenceS => `${cadenceS} s`)], rows).join('\n\n')
}

function markdown(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  return [heads, heads.map(() => '---'), ...rows].map(cells => `| ${cells.join(' | ')} |`).join('\n')
}
