/** Country codes have three digits from 200 on, network codes two or three (ITU-T E.212). */
const LEAST_OPERATOR = 20_000
const MOST_OPERATOR = 999_999
const COUNTRY_DIGITS = 3

/** "Unknown" of 3GPP TS 23.003. */
const NO_AREA: ReadonlySet<number> = new Set([0, 0xfffe, 0xffff])
const NO_CELL: ReadonlySet<number> = new Set([0, 0xffff, 0xffff_ffff])

/**
 * The cell in the format of the contract, `MCC;MNC;LAC;CellId`, from the operator (AVL 241), the area (206) and the cell of
 * 2G (205) or 3G and 4G (636).
 */
export function cellInfo(raw: readonly number[]): string | undefined {
  const [operator = 0, area = 0, gsmCell = 0, lteCell = 0] = raw
  const cell = isCell(lteCell) ? lteCell : gsmCell
  if (operator < LEAST_OPERATOR || operator > MOST_OPERATOR || NO_AREA.has(area) || !isCell(cell)) return undefined
  const digits = String(operator)
  return `${digits.slice(0, COUNTRY_DIGITS)};${digits.slice(COUNTRY_DIGITS)};${area};${cell}`
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

/** The second part has at least this many digits; its leading zeros are lost on the way. */
const LAST_DIGITS = 9
const MOST_DIGITS = 20

/** The number of a SIM card, whose first and last digits are two elements (AVL 11 and 14). */
export function iccid([first = 0, last = 0]: readonly number[]): string | undefined {
  if (first <= 0 || !Number.isSafeInteger(first) || !Number.isSafeInteger(last)) return undefined
  const digits = `${first}${String(last).padStart(LAST_DIGITS, '0')}`
  return digits.length <= MOST_DIGITS ? digits : undefined
}

/** The inverse of the above. */
export function partsOfIccid(digits: string): readonly [first: number, last: number] {
  return [Number(digits.slice(0, -LAST_DIGITS)), Number(digits.slice(-LAST_DIGITS))]
}

/** AVL 253: what kind of harsh driving it was. */
const ACCELERATION = 1
const BRAKING = 2
const CORNERING = 3

const STANDARD_GRAVITY_MPS2 = 9.80665

/**
 * AVL 254 is the acceleration or braking in hundredths of g.
 * @returns m/s², rounded to hundredths: finer than the resolution of the device
 */
function mps2OfHundredthsG(hundredthsG: number): number {
  return Math.round(hundredthsG * STANDARD_GRAVITY_MPS2) / 100
}

export function harshAcceleration([kind = 0, hundredthsG = 0]: readonly number[]): number | undefined {
  return kind === ACCELERATION ? mps2OfHundredthsG(hundredthsG) : undefined
}

export function harshBraking([kind = 0, hundredthsG = 0]: readonly number[]): number | undefined {
  return kind === BRAKING ? mps2OfHundredthsG(hundredthsG) : undefined
}

/** The device does not tell left from right, and its unit depends on its settings (g or rad/s): only the fact is kept. */
export function harshCornering([kind = 0]: readonly number[]): number | undefined {
  return kind === CORNERING ? 1 : undefined
}

/** The inverse of the above. @returns the raw values of AVL 253 and 254 */
export function greenDriving(kind: 'acceleration' | 'braking' | 'cornering', mps2: number): readonly [number, number] {
  const hundredthsG = Math.min(255, Math.max(0, Math.round((mps2 * 100) / STANDARD_GRAVITY_MPS2)))
  return [{ acceleration: ACCELERATION, braking: BRAKING, cornering: CORNERING }[kind], hundredthsG]
}

/** AVL 247: a crash, from a device with or without calibrated mounting. 2 to 5 are records of the following trace. */
const CRASHES: ReadonlySet<number> = new Set([1, 6])

const MPS2_PER_MILLI_G = 0.00980665

/**
 * @returns m/s² along all three axes (AVL 17, 18, 19, in thousandths of g); undefined unless the record has all three,
 * because the event type is a measured value.
 */
export function crashAcceleration([crash = 0, x = Number.NaN, y = Number.NaN, z = Number.NaN]: readonly number[]):
  | number
  | undefined {
  if (!CRASHES.has(crash)) return undefined
  const milliG = Math.hypot(x, y, z)
  return Number.isNaN(milliG) ? undefined : Math.round(milliG * MPS2_PER_MILLI_G * 1000) / 1000
}

/** The inverse of the above. @returns the raw value of AVL 17 when that axis had all of it */
export function milliGOf(mps2: number): number {
  return Math.min(8000, Math.max(-8000, Math.round(mps2 / MPS2_PER_MILLI_G)))
}
