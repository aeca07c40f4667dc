/** A text in both languages. */
export type Text = readonly [en: string, de: string]

/** Consecutive codes about one subject, one for each kind of fault; without kinds, the subject is the whole text. */
export type Row = readonly [code: string, subject: Text, ...faults: readonly Text[]]

/** @returns the part with its place or letter, as in "Oxygen sensor bank 1 sensor 2". */
export function of(part: Text, ...places: readonly (Text | string)[]): Text {
  const said = (language: 0 | 1) =>
    [part[language], ...places.map(place => (typeof place === 'string' ? place : place[language]))].join(' ')
  return [said(0), said(1)]
}

export const bank = (number: number): Text => [`bank ${number}`, `Bank ${number}`]
export const sensor = (number: number | string): Text => [`sensor ${number}`, `Sensor ${number}`]
/** The location of an exhaust sensor, for `of`. */
export const at = (number: number, position: number) => [bank(number), sensor(position)] as const
export const cylinder = (number: number): Text => [`cylinder ${number}`, `Zylinder ${number}`]

/** @returns a row for each of the cylinders 1 to `count`, with consecutive codes. */
export function perCylinder(first: string, count: number, part: Text, ...faults: readonly Text[]): Row[] {
  const rows: Row[] = []
  let code = first
  for (let number = 1; number <= count; number++) {
    rows.push([code, of(part, cylinder(number)), ...faults])
    for (let step = 0; step < Math.max(1, faults.length); step++) code = nextCode(code)
  }
  return rows
}

/** Codes were first numbered in decimal, and the letters used later: the next 0 follows both 9 and F. */
export function nextCode(code: string): string {
  const number = Number.parseInt(code.slice(1), 16)
  return code.charAt(0) + (number + (code.endsWith('9') ? 7 : 1)).toString(16).toUpperCase().padStart(4, '0')
}
