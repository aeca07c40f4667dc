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
