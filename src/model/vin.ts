/** The letters of a VIN (ISO 3779); no region begins with 0 (ISO 3780). */
const WELL_FORMED_VIN = /^[A-HJ-NPR-Z1-9][A-HJ-NPR-Z0-9]{16}$/
/** Stands where no VIN was ever written. */
const FILLED = /([^0])\1{6}|(.)\2{6}$|0{11}/
/** Seven in a row of these stand there, too; 0123456 may be a serial number. */
const COUNTED = '123456789012345 ABCDEFGHJKLMNPRSTUVWXYZ 9876543210987654 ZYXWVUTSRPNMLKJHGFEDCBA'
/** `12345678901234567` repeats ten characters. */
const LONGEST_REPEATED = 10
/** The value of a character of a VIN is its place here, modulo 10 (49 CFR 565.15). */
const VIN_VALUES = '0123456789.ABCDEFGH..JKLMN.P.R..STUVWXYZ'
const VIN_WEIGHTS = [8, 7, 6, 5, 4, 3, 2, 10, 0, 9, 8, 7, 6, 5, 4, 3, 2]

/** A VIN that a dongle read, in upper case and without padding; undefined for what cannot be that of a car. */
export function vinIn(text: string): string | undefined {
  const vin = text.replaceAll(/[^0-9A-Za-z]/g, '').toUpperCase()
  if (!WELL_FORMED_VIN.test(vin) || FILLED.test(vin)) return undefined
  for (let period = 1; period <= LONGEST_REPEATED; period++)
    if (vin.startsWith(vin.slice(period)) || COUNTED.includes(vin.slice(period, period + 7))) return undefined
  // Only North America demands a check digit of every car; some built there for Europe have a Z.
  return /^[1-5].{7}[^Z]/.test(vin) && vin[8] !== vinCheckDigit(vin) ? undefined : vin
}

/** The check digit of the ninth place; what stands there now does not count. */
export function vinCheckDigit(vin: string): string {
  const sum = VIN_WEIGHTS.reduce((total, weight, at) => total + weight * (VIN_VALUES.indexOf(vin.charAt(at)) % 10), 0)
  return '0123456789X'.charAt(sum % 11)
}
