import { describe, expect, it } from 'vitest'
import { settlementAt } from './gazetteer.ts'
import type { NearbyPlace, Place } from './place-file.ts'

const place = (name: string, distanceKm: number, more: Partial<Place> = {}): NearbyPlace => ({
  id: 0,
  position: { lon: 0, lat: 0 },
  distanceKm,
  place: { name, country: 'DE', stateCode: '05', municipality: '', population: 2000, isSection: false, ...more },
})

function names(...nearby: NearbyPlace[]): string | undefined {
  const found = settlementAt(nearby)
  return found && `${found.suburb?.name ?? '-'}, ${found.locality.name}`
}

describe('the place that a position belongs to', () => {
  it('is a city that reaches it rather than a village close by', () => {
    expect(names(place('Village', 0.8, { population: 500 }), place('City', 2, { population: 600_000 }))).toBe('-, City')
  })

  it('is the village in the midst of it, however large the city beside it is', () => {
    expect(names(place('Village', 0.1, { population: 500 }), place('City', 6, { population: 600_000 }))).toBe(
      '-, Village',
    )
  })

  it('is the nearest place where none reaches', () => {
    expect(names(place('Near', 4), place('Large', 20, { population: 600_000 }))).toBe('-, Near')
  })

  it('is a city that owns land outside, such as its airport, if that is less far than the next town in relation', () => {
    const town = place('Town', 3.2, { population: 13_800 })
    expect(names(town, place('City', 10.8, { population: 650_000 }))).toBe('-, City')
    expect(names(town, place('City', 14, { population: 650_000 }))).toBe('-, Town')
  })

  it('of a section is the largest place of its municipality', () => {
    const section = place('Section', 0.5, { isSection: true, municipality: '11000', population: 50_000 })
    const neighbour = place('Neighbour', 2, { municipality: '12000', population: 60_000 })
    const city = place('City', 12, { municipality: '11000', population: 900_000 })
    expect(names(section, neighbour, city)).toBe('Section, City')
  })

  it('of a section is in its state, however large a city in the next one is', () => {
    const section = place('Section', 2.8, { isSection: true, stateCode: '03', population: 4700 })
    const city = place('City', 12, { stateCode: '09', population: 1_700_000 })
    expect(names(section, place('Town', 8, { stateCode: '03', population: 15_000 }), city)).toBe('-, Town')
  })

  it('is not a metropolis so far away that other towns begin there', () => {
    const town = place('Town', 4.1, { population: 129_000 })
    expect(names(town, place('Metropolis', 17, { population: 8_200_000 }))).toBe('-, Town')
  })

  it('has no suburb when the nearest section is too far to be sure', () => {
    const section = place('Section', 2.6, { isSection: true, population: 70_000 })
    expect(names(place('City', 2.5, { population: 600_000 }), section)).toBe('-, City')
  })

  it('is not known where there are no places, or a section of nothing', () => {
    expect(names()).toBeUndefined()
    expect(names(place('Section', 1, { isSection: true }))).toBeUndefined()
  })
})
