import { useEffect, useEffectEvent } from 'react'

/** Calls back when Escape is pressed outside fields and dialogs, in which the key is about those. */
export function useEscape(isWanted: boolean, onEscape: () => void): void {
  const onKey = useEffectEvent((event: KeyboardEvent) => {
    const isElsewhere = event.target instanceof Element && event.target.closest('input, [role=dialog]') !== null
    if (event.key === 'Escape' && !event.defaultPrevented && !isElsewhere) onEscape()
  })
  useEffect(() => {
    if (!isWanted) return undefined
    const listen = (event: KeyboardEvent) => onKey(event)
    document.addEventListener('keydown', listen)
    return () => document.removeEventListener('keydown', listen)
  }, [isWanted])
}
