/** Country codes have three digits from 200 on, network codes two or three (ITU-T E.212). */
const LEAST_OPERATOR = 20_000
const MOST_OPERATOR = 999_999
const COUNTRY_DIGITS = 3

/** "Unknown" of 3GPP TS 23.003. */
const NO_AREA: ReadonlySet<number> = new Set([0, 0xfffe, 0xffff])
const NO_CELL: ReadonlySet<number> = new Set([0, 0xffff, 0xffff_ffff])

/* A parked dongle is in the same cell for hours, and making the text costs more than the rest of its record. */
let latest = { operator: Number.NaN, area: 0, cell: 0, text: '' }

/**
 * The cell in the format of the contract, `MCC;MNC;LAC;CellId`, from the operator (AVL 241), the area (206) and the cell of
 * 2G (205) or 3G and 4G (636).
 */
export function cellInfo(raw: readonly number[]): string | undefined {
  const [operator = 0, area = 0, gsmCell = 0, lteCell = 0] = raw
  const cell = isCell(lteCell) ? lteCell : gsmCell
  if (operator === latest.operator && area === latest.area && cell === latest.cell) return latest.text
  if (operator < LEAST_OPERATOR || operator > MOST_OPERATOR || NO_AREA.has(area) || !isCell(cell)) return undefined
  const digits = String(operator)
  const text = `${digits.slice(0, COUNTRY_DIGITS)};${digits.slice(COUNTRY_DIGITS)};${area};${cell}`
  latest = { operator, area, cell, text }
  return text
}

function isCell(cell: number): boolean {
  return !Number.isNaN(cell) && !NO_CELL.has(cell)
}

/** The inverse of the above; undefined when the text is no cell. */
export function partsOfCell(text: string): { operator: number; area: number; cell: number } | undefined {
  const [, country, network, area, cell] = /^([2-9]\d\d);(\d{2,3});(\d{1,5});(\d{1,10})$/.exec(text) ?? []
  if (country === undefined || network === undefined) return undefined
  return { operator: Number(country + network), area: Number(area), cell: Number(cell) }
}
