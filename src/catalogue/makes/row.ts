/**
 * A make and the world manufacturer identifiers of its vehicles (ISO 3780), separated by blanks: the first three
 * characters of the VIN. Two forms say more: `VF9/795` is a small maker, whose third character is 9 and whose
 * characters 12 to 14 belong to the identifier; `1C4.J` is the share of a make in an identifier that several use, told
 * by the fifth character. A make may have several rows.
 */
export type MakeRow = readonly [make: string, identifiers: string]
