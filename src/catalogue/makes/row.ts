/**
 * A make and the world manufacturer identifiers of its vehicles (ISO 3780), separated by spaces: the first three
 * characters of the VIN. Two forms are longer: `VF9/795` is a small manufacturer, whose third character is 9 and whose
 * characters 12 to 14 belong to the identifier; `1C4.J` is a make that shares an identifier with others and is identified
 * by the fifth character. A make may have several rows.
 */
export type MakeRow = readonly [make: string, identifiers: string]
