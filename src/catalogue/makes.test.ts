import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { MAKES, makeOfVin } from './makes.ts'

const LIST = '../shared/data/wmi/wmi.tsv'

describe('the make that a VIN tells', () => {
  it.each([
    ['WVWZZZ1JZ3W386752', 'Volkswagen'],
    ['WDD2050041R000001', 'Mercedes-Benz'],
    ['WBA3A5C58DF000001', 'BMW'],
    ['WAUZZZ8K9AA000001', 'Audi'],
    ['TMBJJ7NE8E0000001', 'Škoda'],
    ['VF1RFB00500000001', 'Renault'],
    ['VR3UPHNKSKT000001', 'Peugeot'],
    ['VXKUPHNKSK4000001', 'Opel'],
    ['UU1HSDACN50000001', 'Dacia'],
    ['ZFA31200000000001', 'Fiat'],
    ['YV1DZ8256C2000001', 'Volvo'],
    ['5YJ3E1EA7KF000001', 'Tesla'],
    ['LRW3E7FA1MC000001', 'Tesla'],
    ['1FTFW1ET5DF000001', 'Ford'],
    ['JTDKB20U093000001', 'Toyota'],
    ['JTHBK1GG0D2000001', 'Lexus'],
    ['KMHD35LH5EU000001', 'Hyundai'],
    ['U5YPH816HML000001', 'Kia'],
    ['LC0CE4CB0N0000001', 'BYD'],
  ])('%s is a %s', (vin, make) => {
    expect(makeOfVin(vin)).toBe(make)
  })

  it('tells the brands apart that share an identifier by its fifth character', () => {
    const vins = [
      '1C4RJFBG8FC000001',
      '1C4RDJDG8FC000001',
      '1C6RR7LT8FS000001',
      '1C6HJTAG8LL000001',
      '3C3CFFAR8DT000001',
    ]
    expect(vins.map(makeOfVin)).toEqual(['Jeep', 'Dodge', 'Ram', 'Jeep', 'Fiat'])
  })

  it('finds small makers by characters 12 to 14, and no maker where these are not known', () => {
    expect(makeOfVin('VF9SA25C28M795153')).toBe('Bugatti')
    expect(makeOfVin('VF9SA25C28M111153')).toBe('')
  })

  it('is empty for an identifier that nobody has', () => {
    expect(makeOfVin('QQQZZZ1JZ3W386752')).toBe('')
  })
})

it('every identifier is one that a VIN can begin with, and belongs to one make', () => {
  const identifiers = MAKES.flatMap(([, list]) => list.split(' '))
  expect(identifiers.filter(item => !/^[A-HJ-NPR-Z\d]{3}(\/[A-HJ-NPR-Z\d]{3}|\.[A-HJ-NPR-Z\d])?$/.test(item))).toEqual(
    [],
  )
  expect(identifiers.filter((item, index) => identifiers.indexOf(item) !== index)).toEqual([])
  expect(identifiers.filter(item => item.includes('/') && item[2] !== '9')).toEqual([])
})

describe('against a list of others', () => {
  it.skipIf(!existsSync(LIST))('knows most identifiers of passenger cars, and disagrees with few', () => {
    const rows = passengerCars(readFileSync(LIST, 'utf8'))
    const found = rows.filter(({ ours }) => ours !== '')
    expect(found.length / rows.length).toBeGreaterThan(0.8)
    const disagreeing = found.filter(({ ours, theirs }) => !theirs.some(make => areAlike(plain(ours), plain(make))))
    expect(disagreeing.length / found.length).toBeLessThan(0.02)
  })
})

/** Rows of identifiers of three characters under which passenger cars and vans were registered. */
function passengerCars(text: string) {
  return text
    .trim()
    .split('\n')
    .slice(1)
    .map(line => line.split('\t'))
    .filter(([identifier = '', , , , , types = '']) => identifier.length === 3 && /Passenger Car|MPV/.test(types))
    .map(([identifier = '', make = '', , , , , , , others = '']) => ({
      ours: makeOfVin(`${identifier}00000000000000`),
      theirs: [...make.split('|'), ...others.split('|')].filter(name => name !== ''),
    }))
}

function plain(name: string): string {
  return name
    .normalize('NFD')
    .replace(/[^a-z]/gi, '')
    .toLowerCase()
}

function areAlike(a: string, b: string): boolean {
  return a.includes(b) || b.includes(a)
}
