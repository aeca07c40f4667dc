import { useEffect, useEffectEvent, useState } from 'react'

/** The time of this machine, again every `everyMs`: for texts such as `3 minutes ago`. */
export function useNow(everyMs = 10_000): number {
  const [nowMs, setNowMs] = useState(Date.now)
  useEffect(() => {
    const timer = setInterval(() => setNowMs(Date.now()), everyMs)
    return () => clearInterval(timer)
  }, [everyMs])
  return nowMs
}

/**
 * The typed text; the address follows after a pause. When the address changes otherwise, by going back or by a link, the
 * text follows it.
 */
export function useTyped(address: string, pauseMs: number, write: (typed: string) => void) {
  const [typed, setTyped] = useState(address)
  const [written, setWritten] = useState(address)
  const [seen, setSeen] = useState(address)
  if (seen !== address) {
    setSeen(address)
    if (address !== written) setTyped(address)
  }
  const writeTyped = useEffectEvent(() => {
    setWritten(typed)
    write(typed)
  })
  useEffect(() => {
    if (typed === address) return undefined
    const timer = setTimeout(() => writeTyped(), pauseMs)
    return () => clearTimeout(timer)
  }, [typed, address, pauseMs])
  return { typed, type: setTyped }
}
