import type { Car } from '../car.ts'

/** A model of car as it is sold. */
export interface Model {
  readonly make: string
  readonly name: string
  /** What its VINs begin with: manufacturer and kind of car, eight characters. */
  readonly vinStart: string
  /** Tenth and eleventh character of its VINs: model year and plant. */
  readonly vinYearAndPlant: string
  readonly engine: Car['engine']
  readonly capacity: number
  readonly rangeKm: number
}

/** Cars of private people, of companies, and vans. */
export const MODELS = {
  golf: {
    make: 'Volkswagen',
    name: 'Golf',
    vinStart: 'WVWZZZAU',
    vinYearAndPlant: 'LP',
    engine: 'combustion',
    capacity: 50,
    rangeKm: 780,
  },
  octavia: {
    make: 'Škoda',
    name: 'Octavia',
    vinStart: 'TMBJG7NE',
    vinYearAndPlant: 'K0',
    engine: 'combustion',
    capacity: 50,
    rangeKm: 820,
  },
  clio: {
    make: 'Renault',
    name: 'Clio',
    vinStart: 'VF1RJA00',
    vinYearAndPlant: 'M6',
    engine: 'combustion',
    capacity: 42,
    rangeKm: 710,
  },
  'e-class': {
    make: 'Mercedes-Benz',
    name: 'E-Class',
    vinStart: 'WDD21300',
    vinYearAndPlant: 'KA',
    engine: 'combustion',
    capacity: 66,
    rangeKm: 850,
  },
  transporter: {
    make: 'Volkswagen',
    name: 'Transporter',
    vinStart: 'WV1ZZZ7H',
    vinYearAndPlant: 'LH',
    engine: 'combustion',
    capacity: 70,
    rangeKm: 760,
  },
  transit: {
    make: 'Ford',
    name: 'Transit',
    vinStart: 'WF0PXXGC',
    vinYearAndPlant: 'PK',
    engine: 'combustion',
    capacity: 70,
    rangeKm: 740,
  },
  fusion: {
    make: 'Ford',
    name: 'Fusion',
    vinStart: '3FA6P0H7',
    vinYearAndPlant: 'JR',
    engine: 'combustion',
    capacity: 62,
    rangeKm: 760,
  },
  'id.3': {
    make: 'Volkswagen',
    name: 'ID.3',
    vinStart: 'WVWZZZE1',
    vinYearAndPlant: 'MP',
    engine: 'electric',
    capacity: 58,
    rangeKm: 360,
  },
  zoe: {
    make: 'Renault',
    name: 'Zoe',
    vinStart: 'VF1AG000',
    vinYearAndPlant: 'L6',
    engine: 'electric',
    capacity: 52,
    rangeKm: 330,
  },
  evito: {
    make: 'Mercedes-Benz',
    name: 'eVito',
    vinStart: 'WDF44770',
    vinYearAndPlant: 'N3',
    engine: 'electric',
    capacity: 60,
    rangeKm: 260,
  },
} as const satisfies Readonly<Record<string, Model>>

export type ModelName = keyof typeof MODELS
