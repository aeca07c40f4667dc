import { useRouter } from '@tanstack/react-router'
import { useEffect, useState } from 'react'

/** Pages that ask the service what they are about give themselves their titles in this time. */
const TITLE_MS = 400

/**
 * After a navigation the new page has the focus, so that the next key does something on it, and its title is read out.
 *
 * @returns what is to be read out
 */
export function useArrival(contentId: string): string {
  const router = useRouter()
  const [announced, setAnnounced] = useState('')
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined
    const stop = router.subscribe('onRendered', ({ pathChanged, fromLocation }) => {
      if (!pathChanged || !fromLocation) return
      const content = document.getElementById(contentId)
      // What the person left is gone, and what the new page gave the focus to keeps it.
      if (!content?.contains(document.activeElement)) content?.focus({ preventScroll: true })
      clearTimeout(timer)
      timer = setTimeout(() => setAnnounced(document.title), TITLE_MS)
    })
    return () => {
      stop()
      clearTimeout(timer)
    }
  }, [router, contentId])
  return announced
}
