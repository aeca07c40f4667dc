import type { Position } from '../../../src/model/sample.ts'

/** Where people of the virtual fleet live. */
export interface Town {
  readonly name: string
  readonly centre: Position
  /** Of its standard time; drivers of the fleet have no daylight-saving time. */
  readonly utcOffsetMin: number
  /** How number plates look that are made up there: each # is a digit. */
  readonly plate: string
}

/** Inland towns, so that no random road leads into the sea. */
export const TOWNS = [
  { name: 'Karlsruhe', centre: { lat: 49.0094, lon: 8.4044 }, utcOffsetMin: 60, plate: 'KA-TA ###' },
  { name: 'Kassel', centre: { lat: 51.3127, lon: 9.4797 }, utcOffsetMin: 60, plate: 'KS-TA ###' },
  { name: 'Nürnberg', centre: { lat: 49.4521, lon: 11.0767 }, utcOffsetMin: 60, plate: 'N-TA ###' },
  { name: 'Graz', centre: { lat: 47.0707, lon: 15.4395 }, utcOffsetMin: 60, plate: 'G ### TA' },
  { name: 'Dijon', centre: { lat: 47.322, lon: 5.0415 }, utcOffsetMin: 60, plate: 'TA-###-CH' },
  { name: 'Ann Arbor', centre: { lat: 42.2808, lon: -83.743 }, utcOffsetMin: -300, plate: 'TAC #####' },
] as const satisfies readonly Town[]

export type TownName = (typeof TOWNS)[number]['name']
