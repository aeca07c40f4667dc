import type { Position } from '../../model/sample.ts'

/** How values of one kind are copied and stored; state.ts declares the state as a tree of these. Stored records are
 * lists of fields without names, undefined is null: the text is short. */
export interface Codec<Value> {
  /** Shares nothing with the original that changes in place. */
  readonly copy: (value: Value) => Value
  readonly pack: (value: Value, origin: Origin) => unknown
  /** Reads only what `pack` wrote. */
  readonly unpack: (packed: unknown, origin: Origin) => Value
}

export type ValueOf<Kind> = Kind extends Codec<infer Value> ? Value : never

/** The last sample, and where the dongle is: most values of a state are close to these, so they are stored relative to them. */
export interface Origin {
  readonly timeMs: number
  readonly position: Position | undefined
}

const same = <Value>(value: Value): Value => value

/** Numbers, texts and lists of them that JSON has as they are. */
export function plain<Value>(): Codec<Value> {
  return { copy: same, pack: value => value, unpack: packed => packed as Value }
}

export const number = plain<number>()

export const flag: Codec<boolean> = { copy: same, pack: isOn => (isOn ? 1 : 0), unpack: packed => packed === 1 }

/** Stored as the time since the last sample; minus infinity for what never was. */
export const instant: Codec<number> = {
  copy: same,
  pack: (timeMs, origin) => (timeMs === -Infinity ? null : timeMs - origin.timeMs),
  unpack: (packed, origin) => (packed === null ? -Infinity : (packed as number) + origin.timeMs),
}

/** Usually where the dongle is. */
export const position: Codec<Position> = {
  copy: same,
  pack: packNear,
  unpack: (packed, origin) => unpackNear(packed as ReturnType<typeof packNear>, origin),
}

export function optional<Value>({ copy, pack, unpack }: Codec<Value>): Codec<Value | undefined> {
  return {
    copy: copy === same ? same : value => (value === undefined ? undefined : copy(value)),
    pack: (value, origin) => (value === undefined ? null : pack(value, origin)),
    unpack: (packed, origin) => (packed === null ? undefined : unpack(packed, origin)),
  }
}

/** A list that is replaced as a whole. It is empty in a state that was written before there was such a field. */
export function list<Value>({ pack, unpack }: Codec<Value>): Codec<readonly Value[]> {
  return {
    copy: same,
    pack: (values, origin) => values.map(value => pack(value, origin)),
    unpack: (packed, origin) => ((packed ?? []) as unknown[]).map(value => unpack(value, origin)),
  }
}

/** An object whose fields may change. */
export function record<Value extends object>(
  fields: { readonly [Field in keyof Value]: Codec<Value[Field]> },
): Codec<Value> {
  const names = Object.keys(fields) as (keyof Value)[]
  const changing = names.filter(name => fields[name].copy !== same)
  return {
    copy: value => {
      const copy = { ...value }
      for (const name of changing) copy[name] = fields[name].copy(value[name])
      return copy
    },
    pack: (value, origin) => names.map(name => fields[name].pack(value[name], origin)),
    unpack: (packed, origin) => {
      const value = {} as Value
      names.forEach((name, index) => {
        value[name] = fields[name].unpack((packed as unknown[])[index], origin)
      })
      return value
    },
  }
}

/** An object that is replaced as a whole, with all that is in it. */
export function fixed<Value extends object>({ pack, unpack }: Codec<Value>): Codec<Readonly<Value>> {
  return { copy: same, pack, unpack }
}

/** 0 where the dongle is. */
function packNear({ lon, lat }: Position, { position: here }: Origin): 0 | readonly [lon: number, lat: number] {
  return here !== undefined && lon === here.lon && lat === here.lat ? 0 : [lon, lat]
}

function unpackNear(packed: ReturnType<typeof packNear>, { position: here }: Origin): Position {
  if (packed !== 0) return { lon: packed[0], lat: packed[1] }
  if (!here) throw new Error('a state of the fold refers to a place that it does not contain')
  return here
}
