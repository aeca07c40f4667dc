import { type ChangeEvent, useState } from 'react'
import { useTexts } from '../language/language.ts'

/** What is wrong with the number of a dongle; one with a wrong check digit may be entered nevertheless. */
export type ImeiFault = 'number' | 'checkDigit'

/** A field for the number of a dongle. One with a wrong check digit is asked about once. */
export function useImei() {
  const { imeiFaults } = useTexts('administration')
  const [typed, setTyped] = useState('')
  const [asked, setAsked] = useState<string>()
  const fault = imeiFault(typed)
  return {
    /** Empty while it is none. */
    imei: fault === 'number' ? '' : imeiDigits(typed),
    /** As it is registered. */
    number: { deviceId: Number(imeiDigits(typed)), anyCheckDigit: fault === 'checkDigit' },
    /** Says at the field what is wrong. */
    isGood: () => {
      setAsked(typed)
      return !fault || (fault === 'checkDigit' && asked === typed)
    },
    clear: () => setTyped(''),
    field: {
      value: typed,
      onChange: (event: ChangeEvent<HTMLInputElement>) => setTyped(event.currentTarget.value),
      error: asked === typed && fault ? imeiFaults[fault] : undefined,
      inputMode: 'numeric',
      autoComplete: 'off',
    } as const,
  }
}

/** What people write between the groups of digits goes. */
function imeiDigits(typed: string): string {
  return typed.replaceAll(/[\s/-]/g, '')
}

/**
 * Says at the field what the service would refuse: an IMEI has 15 digits, the last of which follows from the others
 * (3GPP TS 23.003, annex B); phones and some dongles have another number.
 *
 * @returns undefined when nothing is wrong
 */
export function imeiFault(typed: string): ImeiFault | undefined {
  const digits = imeiDigits(typed)
  const number = Number(digits)
  if (!/^\d{1,16}$/.test(digits) || number === 0 || !Number.isSafeInteger(number)) return 'number'
  return String(number).length !== 15 || luhnSum(digits) % 10 === 0 ? undefined : 'checkDigit'
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
