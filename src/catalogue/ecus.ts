/** A control unit of a car that reports trouble codes, with its name in each language. */
interface Ecu {
  readonly id: number
  readonly en: string
  readonly de: string
}

/** Unknown unit: the dongle reported only codes. Unknown texts are empty (decisions.md, *Replies*). */
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

/** Response ids of ISO 15765-4 with the units that it recommends for them: 11 bits, and 29 bits with the unit's address. */
const ECU_IDS_BY_RESPONDER: Readonly<Record<string, number>> = {
  '7E8': 1,
  '7E9': 2,
  '18DAF110': 1,
  '18DAF118': 2,
}

/** By the groups of SAE J2012. Body and network codes come from any unit, and manufacturers number their own codes
 * freely, except for the powertrain. */
const ECU_IDS_BY_AREA: readonly (readonly [area: RegExp, ecuId: number])[] = [
  [/^P(0[789]|1[789]|2[78E])/, 2],
  [/^P0[A-E]/, 10],
  [/^P([01][0-6]|2[0-6A-C]|3[0-4])/, 1],
  [/^B00/, 4],
  [/^C00/, 3],
]

/** @returns the unit that answers with this CAN id (upper case); undefined when the standard does not define it. */
export function ecuIdOfResponder(canId: string): number | undefined {
  return ECU_IDS_BY_RESPONDER[canId]
}

/** @returns the unit that a code is about, `UNKNOWN_ECU_ID` where its characters do not tell. */
export function ecuIdOfCode(code: string): number {
  return ECU_IDS_BY_AREA.find(([area]) => area.test(code))?.[1] ?? UNKNOWN_ECU_ID
}

const ecusById = new Map(ECUS.map(ecu => [ecu.id, ecu]))

export function ecuName(id: number, language: 'en' | 'de'): string {
  return ecusById.get(id)?.[language] ?? ''
}
