import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { EVENT_TYPES, eventTypeById, eventTypeByName, UNITS } from './event-types.ts'

const contract = readFileSync(new URL('../../docs/spec/fleet-api-v2.md', import.meta.url), 'utf8')

/** The text of a section, from its heading to the next one. */
function section(heading: string): string {
  return contract.split(`### ${heading}`)[1]?.split('\n### ')[0]?.split('\n## ')[0] ?? ''
}

describe('the catalogue', () => {
  it('holds every unit of the contract and no other', () => {
    const listed = [...section('Unit ids').matchAll(/^\| (\d+) \| (.*?) \|$/gm)].map(([, id, unit]) => ({
      id: Number(id),
      unitType: unit === 'empty string (dimensionless)' ? '' : unit,
    }))
    expect(UNITS).toEqual(listed)
  })

  it('holds every NUMBER event type of the contract, with its unit, and no other', () => {
    const listed = [...section('NUMBER event types by unit').matchAll(/^\| (\d+)[^|]*\| (.*?) \|$/gm)].flatMap(
      ([, unitId, names = '']) => names.split(', ').map(name => `${name} ${unitId}`),
    )
    const ours = EVENT_TYPES.filter(type => type.dataType === 'NUMBER').map(type => `${type.name} ${type.unitId}`)
    expect(ours.sort()).toEqual(listed.sort())
  })

  it.each([
    ['BOOLEAN', 'BOOLEAN event types (no unit)'],
    ['STRING', 'STRING event types (no unit)'],
  ])('holds every %s event type of the contract, dimensionless, and no other', (dataType, heading) => {
    const listed = section(heading).trim().split('.')[0]?.trim().split(', ') ?? []
    const ours = EVENT_TYPES.filter(type => type.dataType === dataType)
    expect(ours.map(type => type.name).sort()).toEqual(listed.sort())
    expect(ours.every(type => type.unitId === 10 && type.unit === '')).toBe(true)
  })

  it('holds POSITION as the only GEO event type', () => {
    expect(EVENT_TYPES.filter(type => type.dataType === 'GEO').map(type => type.name)).toEqual(['POSITION'])
  })

  it('gives every event type an id of its own that fits the store, ordered by name', () => {
    const ids = EVENT_TYPES.map(type => type.id)
    expect(new Set(ids).size).toBe(ids.length)
    expect(ids.every(id => Number.isInteger(id) && id > 0 && id < 32_768)).toBe(true)
    const names = EVENT_TYPES.map(type => type.name)
    expect(names).toEqual([...names].sort())
    expect(names.every(name => /^[A-Z][A-Z_]*[A-Z]$/.test(name))).toBe(true)
  })

  it('finds a type by name and by id', () => {
    for (const type of EVENT_TYPES) {
      expect(eventTypeByName(type.name)).toBe(type)
      expect(eventTypeById(type.id)).toBe(type)
    }
    expect(eventTypeByName('toString')).toBeUndefined()
    expect(() => eventTypeById(0)).toThrow(/newer Tacho/)
  })
})
