import AREA_ROWS from './dtc-areas.json' with { type: 'json' }
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
const AREAS: readonly (Texts & { readonly prefixes: string })[] = AREA_ROWS

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
