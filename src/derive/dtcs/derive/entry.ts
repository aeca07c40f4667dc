import { ecuIdOfCode, ecuIdOfResponder } from '../../../catalogue/ecus.ts'
import { codeOfBytes } from './code.ts'

export type DtcEncoding = 'PCODE' | 'HEX' | 'DECIMAL'

/** One entry of a list of codes. */
export interface ReportedCode {
  /** For example `P0301`. */
  readonly code: string
  /** As it was reported, in upper case, without `0x` and leading zeros of a decimal number; a failure type after `-`. */
  readonly encoded: string
  readonly encoding: DtcEncoding
  readonly ecuTypeId: number
  /** The entry is not the code itself: it says that the control unit stores measurements from the moment of the fault. */
  readonly isFreezeFrame: boolean
}

/** `FF:` marks a freeze frame, a response id of ISO 15765-4 (11 or 29 bits) the control unit. */
const ENTRY = /^(FF:)?(?:(7E[89A-F]|18DAF1[0-9A-F]{2}):)?([^:]+)$/

const PCODE = /^([PCBU][0-3][0-9A-F]{3})(?:-?([0-9A-F]{2}))?$/
/** Four digits are the two bytes, even if all are decimal digits; two more are the failure type byte of ISO 14229-1. */
const HEX = /^(?:0X)?([0-9A-F]{4})([0-9A-F]{2})?$/
const DECIMAL = /^(?:\d{1,3}|\d{5})$/

/** @returns the parsed entry; undefined if it is not a code. `P0000` means no code. */
export function readEntry(entry: string): ReportedCode | undefined {
  const [, frame, responder, text = ''] = ENTRY.exec(entry.toUpperCase()) ?? []
  const read = readCode(text)
  if (!read || read.code === NO_CODE) return undefined
  return {
    ...read,
    ecuTypeId: (responder === undefined ? undefined : ecuIdOfResponder(responder)) ?? ecuIdOfCode(read.code),
    isFreezeFrame: frame !== undefined,
  }
}

/** Dongles pad unused slots with zeros (SAE J1979, mode 3). */
const NO_CODE = 'P0000'

function readCode(text: string): Pick<ReportedCode, 'code' | 'encoded' | 'encoding'> | undefined {
  const [, code, failureType] = PCODE.exec(text) ?? []
  if (code !== undefined)
    return { code, encoded: failureType === undefined ? code : `${code}-${failureType}`, encoding: 'PCODE' }
  const [, bytes, lastByte = ''] = HEX.exec(text) ?? []
  if (bytes !== undefined)
    return { code: codeOfBytes(Number.parseInt(bytes, 16)), encoded: bytes + lastByte, encoding: 'HEX' }
  const number = DECIMAL.test(text) ? Number(text) : Number.NaN
  return number <= 0xffff ? { code: codeOfBytes(number), encoded: String(number), encoding: 'DECIMAL' } : undefined
}

/**
 * Identifies a fault by control unit, code and failure type, whatever form the entry was written in. A freeze frame is separate
 * from its code.
 */
export function faultOf({ isFreezeFrame, ecuTypeId, code, encoded, encoding }: ReportedCode): string {
  const failureType = encoding === 'DECIMAL' ? '' : encoded.slice(encoding === 'PCODE' ? 6 : 4)
  return `${isFreezeFrame ? 'frame ' : ''}${ecuTypeId} ${code} ${failureType}`
}
