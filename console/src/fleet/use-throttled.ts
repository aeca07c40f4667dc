import { useEffect, useRef, useState } from 'react'

/** The latest value, but no other one more often than every `everyMs`: the first at once, the last never lost. */
export function useThrottled<T>(value: T, everyMs: number): T {
  const [shown, setShown] = useState(value)
  const changedMs = useRef(Number.NEGATIVE_INFINITY)
  useEffect(() => {
    const change = () => {
      changedMs.current = performance.now()
      setShown(() => value)
    }
    const waitMs = changedMs.current + everyMs - performance.now()
    if (waitMs <= 0) {
      change()
      return undefined
    }
    const timer = setTimeout(change, waitMs)
    return () => clearTimeout(timer)
  }, [value, everyMs])
  return shown
}
