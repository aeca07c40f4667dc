import { defineTexts } from '../language/language.ts'

export type BooleanWords = 'switched' | 'installed' | 'answered'

type Words = Readonly<Record<'none' | 'north' | 'south' | 'east' | 'west', string>> &
  Readonly<Record<BooleanWords, { readonly yes: string; readonly no: string }>> & {
    readonly cell: (network: string, area: string, cell: string) => string
  }

const words: Words = {
  switched: { yes: 'on', no: 'off' },
  installed: { yes: 'installed', no: 'none' },
  answered: { yes: 'yes', no: 'no' },
  none: 'none',
  north: 'N',
  south: 'S',
  east: 'E',
  west: 'W',
  cell: (network, area, cell) => `network ${network}, area ${area}, cell ${cell}`,
}

export const valueTexts = defineTexts('values', words)

const batteryStates: Readonly<Record<string, string>> = {
  Overvoltage: 'Overvoltage',
  Loading: 'Charging',
  Warning: 'Low',
  'Very Low': 'Very low',
  Empty: 'Empty',
}

/** Words for the values of BATTERY_STATE (fleet-api-v2.md, *States and transitions*). */
export const batteryStateTexts = defineTexts('batteryStates', batteryStates)
