/** What is wrong with the number of a dongle. */
export type ImeiFault = 'length' | 'leadingZero' | 'checkDigit'

/** Phones use a short number instead of an IMEI. */
const NUMBER_OF_PHONE = /^[1-9]\d{0,9}$/

/** What people write between the groups of digits goes. */
export function imeiDigits(typed: string): string {
  return typed.replaceAll(/[\s/-]/g, '')
}

/**
 * Says at the field what the service would refuse: an IMEI has 15 digits, the last of which follows from the others
 * (3GPP TS 23.003, annex B).
 *
 * @returns undefined when nothing is wrong
 */
export function imeiFault(typed: string): ImeiFault | undefined {
  const digits = imeiDigits(typed)
  if (NUMBER_OF_PHONE.test(digits)) return undefined
  if (!/^\d{15}$/.test(digits)) return 'length'
  if (digits.startsWith('0')) return 'leadingZero'
  return luhnSum(digits) % 10 === 0 ? undefined : 'checkDigit'
}

/** A multiple of ten if the last digit is the check digit of the others (ISO/IEC 7812-1, annex B). */
function luhnSum(digits: string): number {
  let sum = 0
  for (const [index, digit] of Array.from(digits, Number).toReversed().entries()) {
    const weighted = digit * (index % 2 === 0 ? 1 : 2)
    sum += weighted > 9 ? weighted - 9 : weighted
  }
  return sum
}
