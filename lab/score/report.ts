import { table } from '../../src/lib/table.ts'
import type { GroupScore } from './cars.ts'
import type { DongleScore, FleetScore } from './score-fleet.ts'

export function reportOf(score: FleetScore): string {
  const { byDongle, byTwoDongles, byFault } = score.drives
  const groups = [
    groupsText('Dongle', byDongle),
    [groupsText('Two dongles', byTwoDongles), ...straysText(score)].filter(Boolean).join('\n'),
    groupsText('Fault', byFault),
  ]
  return [drivesText(score), ...groups, incidentsText(score), faultsText(score), recordsText(score)]
    .filter(Boolean)
    .join('\n\n')
}

const count = (number: number) => number.toLocaleString('en-US')
const percent = (share: number) =>
  Number.isFinite(share) ? `${(share * 100).toFixed(2).replace('-0.00', '0.00')} %` : '-'
const km = (metres: number) => `${(metres / 1000).toLocaleString('en-US', { maximumFractionDigits: 1 })} km`

function drivesText({ drives, cars, carsListed, presentDongles }: FleetScore): string {
  const driven = sumOf(drives.cars.map(car => car.drivenM))
  const told = sumOf(drives.cars.map(car => car.toldM))
  const worst = drives.cars
    .map(car => ({ ...car, error: Math.abs(car.toldM - car.drivenM) / car.drivenM }))
    .sort((a, b) => b.error - a.error)[0]
  return table(
    ['Trips', ''],
    [
      ['driven', count(drives.expected)],
      ['told of by the API', count(drives.found)],
      ['both ends right', `${count(drives.matches.length)}, of these in the right car ${count(drives.inRightCar)}`],
      ['F1', Number.isFinite(drives.f1) ? drives.f1.toFixed(4) : '-'],
      ['kilometres', `${km(driven)} driven, ${km(told)} told, off by ${percent(Math.abs(told - driven) / driven)}`],
      ['of a trip', `off by ${percent(drives.distanceError)}, in median by ${percent(drives.medianDistanceError)}`],
      ['worst car', worst ? `${worst.vin}, off by ${percent(worst.error)}` : '-'],
      ['cars listed', `${count(carsListed)} of ${count(cars)}`],
      ...(presentDongles
        ? [
            [
              'present dongle',
              `right for ${count(presentDongles.right)} of the ${count(presentDongles.known)} cars where a VIN tells it`,
            ],
          ]
        : []),
    ],
  )
}

function groupsText(what: string, groups: readonly GroupScore[]): string {
  if (groups.length === 0) return ''
  return table(
    [what, 'driven', 'told', 'right', 'F1', 'kilometres', 'of a trip, in median'],
    groups.map(({ name, expected, found, matched, f1, kilometreError, medianDistanceError }) => [
      name,
      count(expected),
      count(found),
      count(matched),
      Number.isFinite(f1) ? f1.toFixed(4) : '-',
      percent(kilometreError),
      percent(medianDistanceError),
    ]),
  )
}

function straysText({ drives: { strays }, fromMs }: FleetScore): string[] {
  if (strays.length === 0) return []
  const at = new Date(fromMs).toISOString()
  return [
    'Not known to be in one car, so that drives are told twice. This tells the service:',
    ...strays.map(({ deviceId, vehicleId }) => `  tacho device move ${deviceId} --to ${vehicleId} --at ${at}`),
  ]
}

function incidentsText({ incidents }: FleetScore): string {
  if (!incidents) return ''
  const { kinds, missingRules } = incidents
  const rows = kinds.map(({ kind, happened, found, recall, told, right, precision }) => [
    kind,
    count(happened),
    count(found),
    percent(recall ?? Number.NaN),
    count(told),
    count(right),
    percent(precision ?? Number.NaN),
  ])
  const missing = missingRules.map(
    ({ kind, parameters, hours, fromTimestamp }) =>
      `No rule: ${[kind, ...Object.entries(parameters).map(pair => pair.join(' '))].join(', ')}` +
      `${hours ? `, permitted ${hours.days[0]?.map(({ from, to }) => `${from}-${to}`).join()} ${hours.timeZone}` : ''}, ` +
      `for all cars, from ${fromTimestamp} on`,
  )
  const hint = missing.length > 0 ? ['--with-rules creates them.'] : []
  const compared = table(['Incidents', 'happened', 'found', 'recall', 'told', 'right', 'precision'], rows)
  return [...(rows.length > 0 ? [compared] : []), ...missing, ...hint].join('\n')
}

function faultsText({ faults }: FleetScore): string {
  const rows = [
    ['stored by cars', count(faults.stored)],
    ['told of by dongles', count(faults.listed)],
    ['found', `${count(faults.found)}, of these with a text ${count(faults.labelled)}`],
    ['begin and end', `${count(faults.rightlyBegun)} and ${count(faults.rightlyEnded)} as the lists say`],
    ['found besides', count(faults.unexpected)],
    ...faults.missed.slice(0, EXAMPLES).map(({ code, vin, start }) => ['missed', `${code} of ${vin}, ${start}`]),
  ]
  return table(['Fault codes', ''], rows)
}

const EXAMPLES = 5

function recordsText({ dongles, misdated }: FleetScore): string {
  const sum = (of: (dongle: DongleScore) => number) => sumOf(dongles.map(of))
  const broken = dongles.filter(({ records }) => records.missing > 0 || records.repeated > 0)
  const rows = [
    ['acknowledged', count(sum(({ records }) => records.acknowledged))],
    ['of these missing', count(sum(({ records }) => records.missing))],
    ['events found twice', count(sum(({ records }) => records.repeated))],
    ['found besides', count(sum(({ records }) => records.others))],
    ['of an impossible time', `${count(misdated)} more, kept apart`],
    ...broken
      .slice(0, EXAMPLES)
      .map(({ deviceId, records }) => [
        String(deviceId),
        `${count(records.missing)} missing, ${count(records.repeated)} twice ` +
          `(${records.missingMs.map(timeMs => new Date(timeMs).toISOString()).join(', ')})`,
      ]),
  ]
  return table(['Records', ''], rows)
}

function sumOf(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0)
}

export function jsonReport({
  drives,
  faults,
  incidents,
  dongles,
  misdated,
  cars,
  carsListed,
  presentDongles,
}: FleetScore): object {
  const { matches, ...rest } = drives
  return {
    trips: { ...rest, matched: matches.length, carsDriven: cars, carsListed, presentDongles },
    faults,
    ...(incidents && { incidents }),
    records: { misdated, dongles: dongles.map(({ deviceId, records }) => ({ deviceId, ...records })) },
  }
}
