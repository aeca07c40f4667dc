/** A control unit of a car that reports trouble codes, with its name in each language. */
export interface Ecu {
  readonly id: number
  readonly en: string
  readonly de: string
}

/** The unit is not known: the dongle reported only codes. Unknown text is empty (decisions.md, *Replies*). */
export const UNKNOWN_ECU_ID = 0

/** Kinds of control units. Written to disk: an id is never reused, never renumbered; a new one is a new row. */
export const ECUS: readonly Ecu[] = [
  { id: UNKNOWN_ECU_ID, en: '', de: '' },
  { id: 1, en: 'Engine', de: 'Motor' },
  { id: 2, en: 'Transmission', de: 'Getriebe' },
  { id: 3, en: 'Brakes', de: 'Bremsen' },
  { id: 4, en: 'Airbag', de: 'Airbag' },
  { id: 5, en: 'Steering', de: 'Lenkung' },
  { id: 6, en: 'Instrument cluster', de: 'Kombiinstrument' },
  { id: 7, en: 'Body electronics', de: 'Karosserieelektronik' },
  { id: 8, en: 'Climate control', de: 'Klimaanlage' },
  { id: 9, en: 'Gateway', de: 'Gateway' },
  { id: 10, en: 'Hybrid or electric drive', de: 'Hybrid- oder Elektroantrieb' },
  { id: 11, en: 'High-voltage battery', de: 'Hochvoltbatterie' },
  { id: 12, en: 'Suspension', de: 'Fahrwerk' },
  { id: 13, en: 'All-wheel drive', de: 'Allradantrieb' },
  { id: 14, en: 'Immobiliser', de: 'Wegfahrsperre' },
  { id: 15, en: 'Driver assistance', de: 'Fahrerassistenz' },
]

const ecusById = new Map(ECUS.map(ecu => [ecu.id, ecu]))

/** @returns the name of the unit, empty when the id is unknown. */
export function ecuName(id: number, language: 'en' | 'de'): string {
  return ecusById.get(id)?.[language] ?? ''
}
