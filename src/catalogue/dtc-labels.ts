import LABELS from './dtc-labels.json' with { type: 'json' }

interface Texts {
  readonly en: string
  readonly de: string
}

/** The first letter of a code: the part of the car (SAE J2012, ISO 15031-6). */
const SYSTEMS: Readonly<Record<string, Texts>> = {
  P: { en: 'Powertrain', de: 'Antriebsstrang' },
  C: { en: 'Chassis', de: 'Fahrwerk' },
  B: { en: 'Body', de: 'Karosserie' },
  U: { en: 'Network', de: 'Datennetz' },
}

const GENERIC: Texts = { en: 'generic code', de: 'genormter Code' }
const MANUFACTURER: Texts = { en: 'manufacturer-specific code', de: 'herstellerspezifischer Code' }

/** Prefixes of generic codes; all others are manufacturer-specific. */
const GENERIC_CODES = /^(P0|P2|P3[4-9A-F]|[CBU]0|[CBU]3)/

/** By the first three characters. The standards group manufacturers' codes of the powertrain (P1, P30 to P33) like the
 * generic ones; elsewhere manufacturers number them freely. */
const AREAS: readonly (Texts & { readonly prefixes: string })[] = [
  {
    prefixes: 'P00 P01 P02 P20 P21 P22 P2A P2B P2C P10 P11 P12 P30 P31 P32',
    en: 'fuel and air metering',
    de: 'Kraftstoff- und Luftzumessung',
  },
  { prefixes: 'P03 P23 P13 P33', en: 'ignition or misfire', de: 'Zündung oder Verbrennungsaussetzer' },
  { prefixes: 'P04 P24 P14', en: 'auxiliary emission controls', de: 'zusätzliche Abgasregelung' },
  {
    prefixes: 'P05 P25 P15',
    en: 'vehicle speed, idle control and auxiliary inputs',
    de: 'Geschwindigkeit, Leerlaufregelung und Zusatzeingänge',
  },
  { prefixes: 'P06 P26 P16', en: 'computer and auxiliary outputs', de: 'Steuergerät und Zusatzausgänge' },
  { prefixes: 'P07 P08 P09 P27 P28 P2E P17 P18 P19', en: 'transmission', de: 'Getriebe' },
  {
    prefixes: 'P0A P0B P0C P0D P0E',
    en: 'hybrid or electric drive',
    de: 'Hybrid- oder Elektroantrieb',
  },
  { prefixes: 'P34', en: 'cylinder deactivation', de: 'Zylinderabschaltung' },
  { prefixes: 'B00', en: 'occupant restraints', de: 'Rückhaltesysteme' },
  { prefixes: 'C00', en: 'brakes and traction control', de: 'Bremsen und Antriebsschlupfregelung' },
  { prefixes: 'U00', en: 'network wiring', de: 'Leitungen des Datennetzes' },
  { prefixes: 'U01 U02', en: 'lost communication', de: 'Kommunikation unterbrochen' },
  { prefixes: 'U03', en: 'software incompatibility', de: 'Software nicht kompatibel' },
  { prefixes: 'U04 U05', en: 'invalid data received', de: 'ungültige Daten empfangen' },
  { prefixes: 'U30', en: 'control module and its power supply', de: 'Steuergerät und seine Stromversorgung' },
]

const areasByPrefix = new Map(AREAS.flatMap(area => area.prefixes.split(' ').map(prefix => [prefix, area] as const)))

const preciseByCode = new Map(Object.entries(LABELS))

/** Precise if the catalogue has the code, else by its characters. @returns '' for anything but codes like P0301 */
export function dtcLabel(code: string, language: 'en' | 'de'): string {
  const system = /^[PCBU][0-3][0-9A-F]{3}$/.test(code) ? SYSTEMS[code.charAt(0)] : undefined
  if (!system) return ''
  const precise = preciseByCode.get(code)
  if (precise) return precise[language === 'en' ? 0 : 1] ?? ''
  const scope = GENERIC_CODES.test(code) ? GENERIC : MANUFACTURER
  const area = areasByPrefix.get(code.slice(0, 3))
  const subject = area ? `${system[language]}: ${area[language]}` : system[language]
  return `${subject} (${scope[language]})`
}
