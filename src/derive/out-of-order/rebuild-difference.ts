import type { DerivedRow } from '../derived-rows.ts'

/** A difference between stored and derived data. */
export type Difference =
  | { readonly name: string; readonly kind: 'missing' }
  | { readonly name: string; readonly kind: 'superfluous' }
  | {
      readonly name: string
      readonly kind: 'changed'
      readonly fields: readonly { readonly field: string; readonly before: unknown; readonly now: unknown }[]
    }

/** Compares stored data with newly derived data, by name. */
export function differencesOf(before: readonly DerivedRow[], now: readonly DerivedRow[]): Difference[] {
  const left = new Map(before.map(row => [row.name, row]))
  const found: Difference[] = []
  for (const row of now) {
    const stored = left.get(row.name)
    left.delete(row.name)
    if (!stored) found.push({ name: row.name, kind: 'missing' })
    else {
      const fields = changedFields(stored.fields, row.fields)
      if (fields.length > 0) found.push({ name: row.name, kind: 'changed', fields })
    }
  }
  return [...found, ...[...left.keys()].map(name => ({ name, kind: 'superfluous' as const }))]
}

function changedFields(before: DerivedRow['fields'], now: DerivedRow['fields']) {
  return [...new Set([...Object.keys(before), ...Object.keys(now)])]
    .filter(field => JSON.stringify(before[field]) !== JSON.stringify(now[field]))
    .map(field => ({ field, before: before[field], now: now[field] }))
}

/** A difference on one line, for people. */
export function differenceText(difference: Difference): string {
  if (difference.kind === 'missing') return `${difference.name}: was missing`
  if (difference.kind === 'superfluous') return `${difference.name}: should not be there`
  const fields = difference.fields.map(({ field, before, now }) => `${field} was ${shown(before)}, is ${shown(now)}`)
  return `${difference.name}: ${fields.join('; ')}`
}

function shown(value: unknown): string {
  if (value === undefined || value === null) return 'nothing'
  return typeof value === 'string' ? value : JSON.stringify(value)
}
