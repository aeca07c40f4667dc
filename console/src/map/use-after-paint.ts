import { useEffect, useState } from 'react'

/** Whether the page has been painted since a condition became true: work that begins then does not delay it. */
export function useAfterPaint(isSo: boolean): boolean {
  const [isPainted, setPainted] = useState(false)
  useEffect(() => {
    if (!isSo) return undefined
    let timer: ReturnType<typeof setTimeout> | undefined
    const frame = requestAnimationFrame(() => {
      timer = setTimeout(() => setPainted(true))
    })
    return () => {
      cancelAnimationFrame(frame)
      clearTimeout(timer)
    }
  }, [isSo])
  return isPainted
}
