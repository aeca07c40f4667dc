/**
 * A part of the facts: it may still be on its way, or the person may not see it. Neither is the same as that there is
 * nothing.
 */
export type Learned<T> =
  | { readonly is: 'known'; readonly value: T }
  | { readonly is: 'awaited' }
  | { readonly is: 'forbidden' }

export const AWAITED = { is: 'awaited' } as const satisfies Learned<never>
export const FORBIDDEN = { is: 'forbidden' } as const satisfies Learned<never>

/**
 * @param isAllowed undefined while it is not known yet
 * @param value undefined while it is on its way
 */
export function learned<T>(isAllowed: boolean | undefined, value: T | undefined): Learned<T> {
  if (isAllowed === false) return FORBIDDEN
  return isAllowed === undefined || value === undefined ? AWAITED : { is: 'known', value }
}

/** The value, if it is known. */
export function known<T>(fact: Learned<T>): T | undefined {
  return fact.is === 'known' ? fact.value : undefined
}
