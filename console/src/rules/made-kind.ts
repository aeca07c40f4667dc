import type { RuleKind } from '../api/types.ts'

type Parameter = RuleKind['parameters'][number]

const parameter = (
  given: Omit<Partial<Parameter>, 'defaultValue'> & { readonly name: string },
  value: unknown,
): Parameter => ({
  dataType: 'number',
  label: given.name,
  reason: 'It is usual.',
  unit: null,
  minimum: null,
  maximum: null,
  defaultValue: JSON.parse(JSON.stringify(value)),
  choices: [],
  ...given,
})

/** A kind of rules for tests, with parameters of every type. */
export const MADE_KIND: RuleKind = {
  name: 'SPEEDING_IN_AREA',
  group: 'areas',
  title: 'Speeding in an area',
  description: 'The car is too fast.',
  severity: 'warning',
  hours: 'applies',
  peakUnit: 'km/h',
  parameters: [
    parameter({ name: 'areas', dataType: 'areas' }, []),
    parameter({ name: 'limitKmh', unit: 'km/h', minimum: 5, maximum: 250 }, 30),
    parameter({ name: 'times', dataType: 'integer', unit: '', minimum: 0, maximum: 15 }, 0),
    parameter({ name: 'isStrict', dataType: 'boolean' }, false),
    parameter({ name: 'strength', dataType: 'enum', choices: [{ value: 'ANY', label: 'Any' }] }, 'ANY'),
    parameter({ name: 'eventType', dataType: 'eventType' }, null),
  ],
}
