/** The instant under the pointer, published to components that show values at it, without rerendering the page around the chart. */
export interface PointedInstant {
  readonly timeMs: () => number | undefined
  readonly point: (timeMs: number | undefined) => void
  readonly subscribe: (listener: () => void) => () => void
}

export function pointedInstant(): PointedInstant {
  const listeners = new Set<() => void>()
  let current: number | undefined
  return {
    timeMs: () => current,
    point: timeMs => {
      if (timeMs === current) return
      current = timeMs
      for (const listener of listeners) listener()
    },
    subscribe: listener => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}
