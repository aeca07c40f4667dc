import type { CarState } from './car.ts'

/** In the order in which they matter: what needs a look comes first. */
export const CAR_STATES = ['warning', 'driving', 'parked', 'offline'] as const satisfies readonly CarState[]

interface CarStateColor {
  /** A colour of the theme, for badges and marks. */
  readonly name: string
  /** The same for what is not drawn by the browser's style sheets: maps, charts. Seen on light and dark ground. */
  readonly hex: string
}

/** One colour per state, everywhere; shapes and words show it, too. */
export const CAR_STATE_COLORS: Readonly<Record<CarState, CarStateColor>> = {
  warning: { name: 'orange', hex: '#e8590c' },
  driving: { name: 'teal', hex: '#099268' },
  parked: { name: 'gray', hex: '#748089' },
  offline: { name: 'red', hex: '#a8636b' },
}
