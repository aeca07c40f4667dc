import type { MovementKind } from './car-state.ts'

interface StateColor {
  /** A colour of the theme, for badges and marks. */
  readonly name: string
  /** The same for what is not drawn by the browser's style sheets: maps, charts. Seen on light and dark ground. */
  readonly hex: string
}

/** One colour per movement, everywhere; shapes and words show it, too. */
export const MOVEMENT_COLORS: Readonly<Record<MovementKind, StateColor>> = {
  driving: { name: 'teal', hex: '#099268' },
  idling: { name: 'lime', hex: '#5c940d' },
  parked: { name: 'gray', hex: '#748089' },
  catchingUp: { name: 'indigo', hex: '#5c6bc0' },
  silent: { name: 'red', hex: '#a8636b' },
  withoutDongle: { name: 'gray', hex: '#8d7f9c' },
  neverReported: { name: 'gray', hex: '#8d7f9c' },
}

export const ATTENTION_COLOR: StateColor = { name: 'orange', hex: '#e8590c' }

/** In the order of the list: after what needs attention, what is not as it should be, then what moves. */
export const MOVEMENTS = [
  'silent',
  'driving',
  'idling',
  'catchingUp',
  'parked',
  'neverReported',
  'withoutDongle',
] as const satisfies readonly MovementKind[]
