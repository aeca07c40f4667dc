import { describe, expect, it } from 'vitest'
import { readList } from './dtc-intervals.ts'

const codesIn = (text: string) =>
  readList(0, text).codes?.map(({ encoded, isFreezeFrame }) => (isFreezeFrame ? `frame ${encoded}` : encoded))

describe('a list of codes', () => {
  it.each([
    ['P0301', ['P0301']],
    ['P0301 P0420\tU0100\nC0035', ['P0301', 'P0420', 'U0100', 'C0035']],
    [' , P0301 ; ;P0420, ', ['P0301', 'P0420']],
    ['', []],
    ['0000,0000', []],
    ['P0301,garbage,P042,P0420', ['P0301', 'P0420']],
    ['P0301,p0301,0301,0x0301,00769', ['P0301']],
    ['P0301,FF:P0301', ['P0301', 'frame P0301']],
    ['7E8:P0301,7E9:P0301', ['P0301', 'P0301']],
    ['P0301|p0420/U0100', ['P0301', 'P0420', 'U0100']],
    ['0301/0420', ['0301', '0420']],
    ['P0301*', ['P0301']],
    ['P0301\0\0P0420\0', ['P0301', 'P0420']],
    ['"P0301"; "P0420"', ['P0301', 'P0420']],
    ['["P0301","0420"]', ['P0301']],
    ['[{"code":"P0301","text":"Cylinder 1 Misfire"}]', ['P0301']],
    ['[{"code":1056}]', ['1056']],
    ["[('P0104', 'Mass Air Flow'), ('P0301', 'Cylinder 1 Misfire')]", ['P0104', 'P0301']],
    ['P0562:00-08 P0301-1C-AF', ['P0562-00', 'P0301-1C']],
    ['DTC P0301: Cylinder 1 Misfire\nDTC P0420', ['P0301', 'P0420']],
    ['P0301, SPN 110 FMI 0', ['P0301']],
    ['P0301, SPN 0x0C9A FMI 4', ['P0301']],
    ['[{"code":"P0301","freezeFrame":"0x0100"}]', ['P0301']],
    ['P0301\\nP0420\\u0000', ['P0301', 'P0420']],
    ['0301,FFFF', ['0301']],
    ['43 01 33 00 00 00 00', ['0133']],
    ['43 00\r\r>', []],
    ['43 01 03 01 AA AA AA', ['0301']],
    ['43 02 03 01 04 20 00 00', ['0301', '0420']],
    ['03\rSEARCHING...\r430203010420\r\r>', ['0301', '0420']],
    ['7E8 04 43 01 03 01 00 00\r7E9 02 43 00', ['0301']],
    ['18 DA F1 10 04 43 01 03 01', ['0301']],
    ['7E8 10 0A 43 04 01 43 01 96\r7E9 02 43 00\r7E8 21 02 34 02 CD 00 00 00', ['0143', '0196', '0234', '02CD']],
    ['00A\r0: 43 04 01 43 01 96\r1: 02 34 02 CD 03 57 0A', ['0143', '0196', '0234', '02CD']],
    ['48 6B 10 43 01 43 00 00 00 00 F0', ['0143']],
    ['4301 4302', ['4301', '4302']],
    ['[]', []],
    ['{"dtcs":[]}', []],
  ])('"%s" has %j', (text, codes) => {
    expect(codesIn(text)).toEqual(codes)
  })

  it('has the numbers of JSON as decimal ones, also those of four digits', () => {
    expect(readList(0, '[769, 1056]').codes?.map(({ code }) => code)).toEqual(['P0301', 'P0420'])
  })

  it.each([
    'NO DATA',
    'N/A',
    'UNABLE TO CONNECT',
    'SEARCHING...',
    'BUS INIT: ERROR',
    '?',
    '7F 03 11',
    '7E8 03 7F 03 11',
    '43 04 03 01',
    '00A\r00A\r0: 43 04 01 43 01 96\r0: 43 04 01 43 01 96\r1: 02 34 02 CD\r1: 02 34 02 CD',
    'Cylinder 1',
    'SPN 110 FMI 0',
    '110/0',
    '110-0,190-2',
    '[{"spn":110,"fmi":0}]',
    'FFFF',
    '65535',
  ])('says nothing as %j', text => {
    expect(codesIn(text)).toBeUndefined()
  })
})
