/** The first letters of trouble codes in the order of their two highest bits. */
const SYSTEMS = ['P', 'C', 'B', 'U'] as const

/**
 * The trouble code of two bytes: two bits each for the letter and the first digit, then three hexadecimal digits
 * (SAE J2012 and ISO 15031-6, *Encoded format*).
 * @param bytes 0 to 65535
 * @returns for example `P0301` for 0x0301.
 */
export function codeOfBytes(bytes: number): string {
  const digits = (bytes & 0x3fff).toString(16).toUpperCase().padStart(4, '0')
  return `${SYSTEMS[bytes >> 14]}${digits}`
}
