import type { Texts } from '../language/language.ts'

export type BooleanWords = 'switched' | 'installed' | 'answered'

type Words = Readonly<Record<'none' | 'north' | 'south' | 'east' | 'west', string>> &
  Readonly<Record<BooleanWords, { readonly yes: string; readonly no: string }>> & {
    readonly cell: (network: string, area: string, cell: string) => string
  }

export const valueTexts: Texts<Words> = {
  en: {
    switched: { yes: 'on', no: 'off' },
    installed: { yes: 'installed', no: 'none' },
    answered: { yes: 'yes', no: 'no' },
    none: 'none',
    north: 'N',
    south: 'S',
    east: 'E',
    west: 'W',
    cell: (network, area, cell) => `network ${network}, area ${area}, cell ${cell}`,
  },
  de: {
    switched: { yes: 'an', no: 'aus' },
    installed: { yes: 'vorhanden', no: 'keine' },
    answered: { yes: 'ja', no: 'nein' },
    none: 'keine',
    north: 'N',
    south: 'S',
    east: 'O',
    west: 'W',
    cell: (network, area, cell) => `Netz ${network}, Bereich ${area}, Zelle ${cell}`,
  },
}

/** Words for the values of BATTERY_STATE (fleet-api-v2.md, *States and transitions*). */
export const batteryStateTexts: Texts<Readonly<Record<string, string>>> = {
  en: {
    Overvoltage: 'Overvoltage',
    Loading: 'Charging',
    Warning: 'Low',
    'Very Low': 'Very low',
    Empty: 'Empty',
  },
  de: {
    Overvoltage: 'Überspannung',
    Loading: 'Wird geladen',
    Warning: 'Schwach',
    'Very Low': 'Sehr schwach',
    Empty: 'Leer',
  },
}
