import { useEffect, useState } from 'react'

/** Whether something has been on the page for a while, so that a list that is scrolled past asks for nothing. */
export function useStays(forMs: number): boolean {
  const [stays, setStays] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setStays(true), forMs)
    return () => clearTimeout(timer)
  }, [forMs])
  return stays
}
