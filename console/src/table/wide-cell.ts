import type { CSSProperties } from 'react'

/** A cell that takes the room that the others leave, and whose text is cut only when there is none left. */
export const WIDE_CELL: CSSProperties = { width: '100%', minWidth: 220, maxWidth: 0, whiteSpace: 'nowrap' }
