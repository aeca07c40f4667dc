import { Modal } from '@mantine/core'
import { type ReactNode, useEffect } from 'react'
import { useTexts } from '../language/language.ts'

interface DialogProps {
  readonly title: string
  readonly onClose: () => void
  /** It goes only by what is inside, as what it shows cannot be had again. */
  readonly isKept?: boolean
  /** Wide for forms of many fields. */
  readonly size?: 'md' | 'xl'
  readonly children: ReactNode
}

/** A dialog that is open while it is mounted. */
export function Dialog({ title, onClose, isKept = false, size = 'md', children }: DialogProps) {
  const texts = useTexts('dialog')
  // The library gives the focus back only when a dialog that stays mounted closes.
  useEffect(() => {
    const focused = document.activeElement
    return () => {
      const opener = focused instanceof HTMLElement && focused.isConnected ? focused : undefined
      // What opened it may be gone with what was removed: then the page has the focus, not the document before it.
      const place = opener ?? document.getElementById('content')
      place?.focus({ preventScroll: true })
    }
  }, [])
  return (
    <Modal
      opened
      onClose={onClose}
      title={title}
      size={size}
      closeButtonProps={{ 'aria-label': texts.close }}
      withCloseButton={!isKept}
      closeOnClickOutside={!isKept}
      closeOnEscape={!isKept}
    >
      {children}
    </Modal>
  )
}
