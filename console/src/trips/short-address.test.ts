import { describe, expect, it } from 'vitest'
import type { Address } from '../api/types.ts'
import { longAddress, shortAddress } from './short-address.ts'

const address = (known: Partial<Address>): Address => ({
  id: '1',
  road: '',
  houseNumber: '',
  suburb: '',
  locality: '',
  state: '',
  country: '',
  postcode: '',
  lat: 0,
  lon: 0,
  ...known,
})
const munich = {
  road: 'Rosenheimer Straße',
  houseNumber: '145',
  locality: 'Munich',
  state: 'Bavaria',
  country: 'Germany',
}

describe('an address in short', () => {
  it.each([
    [munich, 'Germany', 'Rosenheimer Straße 145, Munich'],
    [munich, 'France', 'Rosenheimer Straße 145, Munich, Germany'],
    [{ locality: 'Karlsruhe', state: 'Baden-Württemberg', country: 'Germany' }, 'Germany', 'Karlsruhe'],
    [{ suburb: 'Haidhausen', locality: 'Munich', country: 'Germany' }, 'Germany', 'Haidhausen, Munich'],
    [{ suburb: 'Haidhausen', country: 'Germany' }, 'Germany', 'Haidhausen'],
    [{ country: 'Germany' }, 'Germany', ''],
    [{}, '', ''],
  ])('%j seen from %s is "%s"', (known, home, text) => {
    expect(shortAddress(address(known), home)).toBe(text)
  })

  it('in full has all of it', () => {
    expect(longAddress(address({ ...munich, postcode: '81671' }))).toBe(
      'Rosenheimer Straße 145, 81671 Munich, Bavaria, Germany',
    )
    const altona = { suburb: 'Altona', locality: 'Hamburg', state: 'Hamburg', country: 'Germany' }
    expect(longAddress(address(altona))).toBe('Altona, Hamburg, Germany')
  })
})
