import { describe, expect, it } from 'vitest'
import { readList } from './dtc-intervals.ts'

const codesIn = (text: string) =>
  readList(0, text).codes.map(({ encoded, isFreezeFrame }) => (isFreezeFrame ? `frame ${encoded}` : encoded))

describe('a list of codes', () => {
  it.each([
    ['P0301', ['P0301']],
    ['P0301,P0420', ['P0301', 'P0420']],
    ['P0301;P0420', ['P0301', 'P0420']],
    ['P0301 P0420\tU0100\nC0035', ['P0301', 'P0420', 'U0100', 'C0035']],
    [' , P0301 ; ;P0420, ', ['P0301', 'P0420']],
    ['', []],
    [' ', []],
    [',;', []],
    ['0000,0000', []],
    ['P0301,garbage,P042,P0420', ['P0301', 'P0420']],
    ['P0301,p0301,0301,0x0301,00769', ['P0301']],
    ['P0301,FF:P0301', ['P0301', 'frame P0301']],
    ['7E8:P0301,7E9:P0301', ['P0301', 'P0301']],
  ])('"%s" has %j', (text, codes) => {
    expect(codesIn(text)).toEqual(codes)
  })
})
