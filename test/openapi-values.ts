import fc from 'fast-check'

/** A JSON Schema, as far as the document uses it. */
export interface Schema {
  readonly $ref?: string
  readonly type?: string | readonly string[]
  readonly enum?: readonly unknown[]
  readonly anyOf?: readonly Schema[]
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly items?: Schema
  readonly format?: string
  readonly pattern?: string
  readonly minimum?: number
  readonly maximum?: number
  readonly minLength?: number
  readonly maxLength?: number
  readonly minItems?: number
  readonly uniqueItems?: boolean
}

type Components = Readonly<Record<string, object>>

const START_MS = Date.UTC(2020, 0)
const END_MS = Date.UTC(2025, 0)

/** Values that the structure of a schema allows; conditions that hold for several fields at once are not looked at. */
export function valuesOf(schema: Schema, components: Components): fc.Arbitrary<unknown> {
  if (schema.$ref !== undefined)
    return valuesOf(components[schema.$ref.replace('#/components/schemas/', '')] as Schema, components)
  if (schema.enum) return fc.constantFrom(...schema.enum)
  if (schema.anyOf) return fc.oneof(...schema.anyOf.map(one => valuesOf(one, components)))
  // A body with a key `__proto__` is refused as no JSON wherever it stands, which no schema can say.
  if (schema.type === undefined)
    return fc.jsonValue({ maxDepth: 1 }).filter(value => !/__proto__/.test(JSON.stringify(value)))
  const types = [schema.type].flat()
  return fc.oneof(...types.map(type => valuesOfType(type, schema, components)))
}

function valuesOfType(type: string, schema: Schema, components: Components): fc.Arbitrary<unknown> {
  switch (type) {
    case 'null':
      return fc.constant(null)
    case 'boolean':
      return fc.boolean()
    case 'integer':
      return fc.integer({ min: schema.minimum ?? -1000, max: Math.min(schema.maximum ?? 1_000_000, 2 ** 31 - 1) })
    case 'number':
      return fc.double({ min: schema.minimum ?? -1000, max: schema.maximum ?? 1000, noNaN: true })
    case 'string':
      return textsOf(schema)
    case 'array':
      return schema.uniqueItems
        ? fc.uniqueArray(valuesOf(schema.items ?? {}, components), { minLength: schema.minItems ?? 0, maxLength: 3 })
        : fc.array(valuesOf(schema.items ?? {}, components), { minLength: schema.minItems ?? 0, maxLength: 3 })
    case 'object':
      return fc.record(
        Object.fromEntries(
          Object.entries(schema.properties ?? {}).map(([name, property]) => [name, valuesOf(property, components)]),
        ),
        { requiredKeys: [...(schema.required ?? [])] },
      )
    default:
      throw new Error(`no values of type ${type}`)
  }
}

function textsOf({ format, pattern, minLength = 0, maxLength = 30 }: Schema): fc.Arbitrary<string> {
  if (format === 'date-time') return fc.integer({ min: START_MS, max: END_MS }).map(ms => new Date(ms).toISOString())
  if (pattern !== undefined) return fc.stringMatching(new RegExp(pattern, 'u'))
  return fc.string({ minLength, maxLength: Math.max(minLength, Math.min(maxLength, 30)) })
}

/** What is wrong nearly everywhere. No empty text: it counts as absent. */
const WRONG = [null, true, -1, 1.5, '!?', [], {}]

/** Values that are spoilt somewhere: another value, a field less, or one more. Some may still be right. */
export function spoilt(values: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> {
  return fc.tuple(values, fc.nat(), fc.constantFrom(...WRONG), fc.nat({ max: 3 })).map(([value, at, wrong, how]) => {
    const places = placesIn(value)
    const place = places[at % places.length] ?? []
    return changedAt(value, place, how === 0 ? undefined : wrong)
  })
}

type Place = readonly (string | number)[]

function placesIn(value: unknown, at: Place = []): Place[] {
  if (typeof value !== 'object' || value === null) return [at]
  return [at, ...Object.entries(value).flatMap(([name, inner]) => placesIn(inner, [...at, name]))]
}

/** @param wrong undefined takes the field away */
function changedAt(value: unknown, [step, ...rest]: Place, wrong: unknown): unknown {
  if (step === undefined) return wrong ?? null
  if (Array.isArray(value))
    return value.map((inner, index) =>
      String(index) === String(step) ? changedAt(inner, rest, wrong) : (inner as unknown),
    )
  const fields = Object.entries(value as object).flatMap(([name, inner]): [string, unknown][] => {
    if (name !== step) return [[name, inner]]
    return rest.length === 0 && wrong === undefined ? [] : [[name, changedAt(inner, rest, wrong)]]
  })
  return Object.fromEntries(fields)
}

/** Texts that a parameter of path or query cannot be; none when it may be any text. */
export function wrongTexts({ type, format, pattern, enum: words, minimum, maximum }: Schema): readonly string[] {
  if (type === 'integer')
    return [
      'abc',
      '1.5',
      '-1',
      ...(minimum === undefined ? [] : [String(minimum - 1)]),
      ...(maximum === undefined ? [] : [String(maximum + 1)]),
    ]
  if (type === 'boolean') return ['yes', '1', 'true,false']
  if (format === 'date-time') return ['soon', '2020-02-30T00:00:00Z', '2020-13-01T00:00:00Z', '1582383600']
  return words || pattern !== undefined ? ['!?', 'NONSENSE,NONSENSE', '/'] : []
}
