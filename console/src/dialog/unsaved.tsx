import { Button, Group, Stack, Text } from '@mantine/core'
import { useBlocker } from '@tanstack/react-router'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { useTexts } from '../language/language.ts'
import { Dialog } from './dialog.tsx'

interface Unsaved {
  /** Leaves a form in the page, such as by its own close button: at once when nothing was entered, else after the question. */
  readonly leave: (onLeave: () => void) => void
  /** To be called when all of it was saved, before the form goes: nothing is asked then. */
  readonly saved: () => void
  /** To be shown with the form: the question, while it is asked. */
  readonly question: ReactNode
}

/**
 * Asks before what was entered and not saved is dropped: by closing the form, by a link, by going back, or by closing the
 * tab, where the browser asks.
 *
 * @param isUnsaved `isDirty()` of the form
 * @param scope what closes it: in a `page`, what only changes the view of that page does not
 */
export function useUnsaved(isUnsaved: boolean, scope: 'view' | 'page' = 'view'): Unsaved {
  const texts = useTexts('dialog')
  const [leaving, setLeaving] = useState<{ readonly onLeave: () => void }>()
  // A form that closes may change the address, which is not asked about once more.
  const isDropped = useRef(false)
  useEffect(() => {
    if (!isUnsaved) isDropped.current = false
  }, [isUnsaved])
  const blocked = useBlocker({
    shouldBlockFn: ({ current, next }) =>
      !isDropped.current && (scope === 'view' || current.pathname !== next.pathname),
    disabled: !isUnsaved,
    enableBeforeUnload: isUnsaved,
    withResolver: true,
  })
  const stay = () => {
    setLeaving(undefined)
    blocked.reset?.()
  }
  const drop = () => {
    isDropped.current = true
    setLeaving(undefined)
    leaving?.onLeave()
    blocked.proceed?.()
  }
  const isAsking = leaving !== undefined || blocked.status === 'blocked'
  return {
    leave: onLeave => {
      if (isUnsaved && !isAsking) setLeaving({ onLeave })
      // The key that closes the question reaches the form under it as well.
      else if (!isAsking) onLeave()
    },
    saved: () => {
      isDropped.current = true
    },
    question: isAsking && (
      <Dialog title={texts.unsaved} onClose={stay}>
        <Stack>
          <Text>{texts.unsavedHint}</Text>
          <Group justify="flex-end">
            <Button variant="default" onClick={stay} data-autofocus>
              {texts.keepEditing}
            </Button>
            <Button color="red" onClick={drop}>
              {texts.discard}
            </Button>
          </Group>
        </Stack>
      </Dialog>
    ),
  }
}
