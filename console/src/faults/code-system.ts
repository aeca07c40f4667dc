/** The part of the car that a code is about, by its first letter (SAE J2012, ISO 15031-6). */
type CarSystem = 'powertrain' | 'chassis' | 'body' | 'network'

interface CodeSystem {
  readonly system: CarSystem
  /** Means the same in every car; else its manufacturer says what it means. */
  readonly isGeneric: boolean
}

const SYSTEMS: Readonly<Record<string, CarSystem>> = { P: 'powertrain', C: 'chassis', B: 'body', U: 'network' }

/** P3 is divided between manufacturers (P30 to P33) and the standard; elsewhere the second character decides. */
const GENERIC = /^(P0|P2|P3[4-9A-F]|[CBU]0|[CBU]3)/

/**
 * What the characters of a trouble code mean (SAE J2012, ISO 15031-6, *Structure of codes*). They do not tell how
 * serious a fault is.
 *
 * @returns undefined for what is no code of five characters such as P0301
 */
export function codeSystemOf(code: string): CodeSystem | undefined {
  if (!/^[PCBU][0-3][0-9A-F]{3}$/.test(code)) return undefined
  const system = SYSTEMS[code.charAt(0)]
  return system && { system, isGeneric: GENERIC.test(code) }
}
