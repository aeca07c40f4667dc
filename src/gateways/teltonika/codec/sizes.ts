/* Sizes in bytes of what stands around records and messages. */

/** A frame of TCP begins with four zero bytes, and four with the length of its data. */
export const FRAME_HEAD_BYTES = 8
/** It ends with the checksum of its data. */
export const CHECKSUM_BYTES = 4

/** Data begin with the codec and how many records follow … */
export const DATA_HEAD_BYTES = 2
/** … and end with how many there were. */
export const DATA_TAIL_BYTES = 1

/** A device names itself with these, one byte a digit. */
export const IMEI_DIGITS = 15
