import { errorM, type LengthBasis, type LengthMeasures } from '../../../derive/trips/derive/measured.ts'

import type { TripAccount } from '../../../derive/trips/derive/retrace.ts'
import type { Language } from '../../language.ts'
import { type DistanceMeasure, type TripExplanation, wordOf } from './schema.ts'
import { BASIS_TEXTS, MEASURE_TEXTS, ODOMETER_TEXTS } from './texts.ts'

/** The length by each measure, which one counts, and the range in which the true length lies. */
export function distanceOf(account: TripAccount, language: Language): TripExplanation['distance'] {
  const { trip, basis, range, tally } = account
  const { distanceM, odometerM, positionsM } = trip
  const isMeasured = basis !== 'nothing measured'
  return {
    counted: distanceM / 1000,
    least: isMeasured ? Math.floor(range.leastM) / 1000 : null,
    most: isMeasured ? Math.ceil(range.mostM) / 1000 : null,
    measures: measuresOf(account, language),
    odometer: odometerM === undefined ? null : odometerM / 1000,
    positions: positionsM === undefined ? null : positionsM / 1000,
    difference: odometerM === undefined || positionsM === undefined ? null : (odometerM - positionsM) / 1000,
    basis: wordOf(basis),
    description: BASIS_TEXTS[basis][language],
    odometerJumps: tally.odometerJumps,
  }
}

/** The measures that each basis uses. */
const COUNTING: Readonly<Record<LengthBasis, readonly (keyof LengthMeasures)[]>> = {
  odometer: ['odometer'],
  'odometer completed by positions': ['odometer', 'positions'],
  'positions, no odometer': ['positions'],
  'positions, odometer unchanged': ['positions'],
  'positions, odometer doubted': ['positions'],
  'speed over time': ['speed'],
  'nothing measured': [],
}

function measuresOf({ measures, basis, range }: TripAccount, language: Language): DistanceMeasure[] {
  return (Object.keys(MEASURE_TEXTS) as (keyof LengthMeasures)[]).flatMap(name => {
    const measure = measures[name]
    if (!measure) return []
    const differenceM = measure.metres - range.countedM
    const odometer = name === 'odometer' ? measures.odometer : undefined
    return {
      measure: wordOf(name),
      description: MEASURE_TEXTS[name][language],
      distance: kmOf(measure.metres),
      standardError: kmOf(measure.standardErrorM),
      systematicError: kmOf(measure.systematicM),
      difference: kmOf(differenceM),
      agrees: Math.abs(differenceM) <= errorM(measure),
      counts: COUNTING[basis].includes(name),
      odometer: odometer
        ? {
            shown: kmOf(odometer.shownM),
            verdict: wordOf(odometer.state),
            description: ODOMETER_TEXTS[odometer.state][language],
          }
        : null,
    }
  })
}

/** Whole metres, as for all lengths of trips. */
function kmOf(metres: number): number {
  return Math.round(metres) / 1000
}
