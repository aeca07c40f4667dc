/* Sizes in bytes of what stands around records and messages. */

/** A TCP frame begins with four zero bytes, and four with the length of its data. */
export const FRAME_HEAD_BYTES = 8
/** It ends with the checksum of its data. */
export const CHECKSUM_BYTES = 4

/** Data begin with the codec and the number of records … */
export const DATA_HEAD_BYTES = 2
/** … and end with the same number. */
export const DATA_TAIL_BYTES = 1

/** Digits of the IMEI, one byte each. */
export const IMEI_DIGITS = 15
